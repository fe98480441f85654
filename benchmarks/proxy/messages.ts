import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Backend, CanaryLimits, ReleaseTraffic } from "../../packages/server/src/deployment/proxy/index.ts";

/** What the benchmark asks its children, and what they answer. */
export interface Calls {
  "program open": { in: { name: string; failEvery?: number }; out: string };
  "program die": { in: { origin: string }; out: null };
  "proxy listen": { in: null; out: number };
  "proxy route": {
    in: { backends: Backend[]; canary?: Omit<CanaryLimits, "onBreach"> };
    out: { ms: number; cpuMs: number };
  };
  "proxy breach": { in: null; out: { ms: number; reason: string } };
  "proxy drain": { in: { release: string; origin?: string }; out: number };
  "proxy traffic": { in: null; out: ReleaseTraffic[] };
  "load start": { in: { port: number; connections: number }; out: null };
  "load count": { in: null; out: { answered: number; failed: number } };
  "load stop": { in: null; out: { answered: number; failed: number } };
}

export type CallName = keyof Calls;

const programs = {
  program: new URL("./program.ts", import.meta.url),
  switched: new URL("./switched.ts", import.meta.url),
  load: new URL("./load.ts", import.meta.url),
};
const children: ChildProcess[] = [];

/** A program of the benchmark in a process of its own. */
export function startChild(name: keyof typeof programs) {
  const child = fork(programs[name], {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  children.push(child);
  let calls = 0;
  return async <Name extends CallName>(call: Name, input: Calls[Name]["in"]): Promise<Calls[Name]["out"]> => {
    const id = calls++;
    child.send({ id, call, input });
    for (;;) {
      const [message] = (await once(child, "message")) as [{ id: number; output: Calls[Name]["out"] }];
      if (message.id === id) return message.output;
    }
  };
}

export function stopChildren(): void {
  for (const child of children) child.kill();
}

type Handlers = { [Name in CallName]?: (input: Calls[Name]["in"]) => Calls[Name]["out"] | Promise<Calls[Name]["out"]> };

/** Answers the calls of the benchmark in a child. */
export function serve(handlers: Handlers): void {
  process.on("message", async ({ id, call, input }: { id: number; call: CallName; input: never }) => {
    process.send!({ id, output: await handlers[call]!(input) });
  });
  process.on("disconnect", () => process.exit());
}
