import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyModel } from "../models/copy-model.ts";

const entry = fileURLToPath(import.meta.resolve("../../packages/server/bin/slipway-server.cjs"));
const peer = fileURLToPath(import.meta.resolve("./bare-peer.ts"));
const env = { ...process.env, SLIPWAY_REQUESTS_PER_MINUTE: "1000000", SLIPWAY_LOG_LEVEL: "warn" };
const running = new Set<Running>();
/** Also those that are not ready yet. */
const children = new Set<ChildProcess>();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => void endBySignal());

/** A server in a process of its own. */
export class Running {
  readonly #child: ChildProcess;
  readonly port: number;
  /** From the start of the process to the line that says that it is ready. */
  readonly readyMs: number;

  private constructor(child: ChildProcess, port: number, readyMs: number) {
    this.#child = child;
    this.port = port;
    this.readyMs = readyMs;
    running.add(this);
  }

  static async start(args: readonly string[]): Promise<Running> {
    const start = performance.now();
    const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    children.add(child);
    child.once("exit", () => children.delete(child));
    let out = "";
    for await (const text of child.stdout.setEncoding("utf8")) {
      out += text as string;
      const port = /ready at http:\/\/[\d.]+:(\d+)\n/.exec(out)?.[1];
      if (port !== undefined) return new Running(child, Number(port), performance.now() - start);
    }
    throw new Error(`${args.join(" ")} did not start.`);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async stop(): Promise<void> {
    running.delete(this);
    if (this.#child.exitCode !== null) return;
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    await ended;
  }
}

export function startService(data: string, ...flags: readonly string[]): Promise<Running> {
  return Running.start([entry, "serve", "--port", "0", "--data", data, ...flags]);
}

export function startPeer(data: string, user: string): Promise<Running> {
  return Running.start([peer, join(data, "postgres"), user]);
}

/** A service's data folder on the disk, gone at the end. */
export function newDataFolder(): string {
  const folder = newFolder();
  copyModel("service", folder);
  return folder;
}

/** A folder on the disk, gone at the end. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"));
  folders.push(folder);
  return folder;
}
const folders: string[] = [];

export async function stopAll(): Promise<void> {
  // The last first: it may need those before it.
  for (const one of [...running].reverse()) await one.stop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}

/** A benchmark that is interrupted leaves nothing running. */
async function endBySignal(): Promise<never> {
  await stopAll();
  await Promise.all(
    [...children].map((child) => {
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      return ended;
    }),
  );
  process.exit(1);
}

/** What a process and all that come from it hold of the memory: each shared page by its share. */
export function memoryMb(pid: number): number {
  const kb = Number(/^Pss: +(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, "utf8"))?.[1]);
  return childrenOf(pid).reduce((sum, child) => sum + memoryMb(child), kb / 1024);
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => parentOf(one) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    return Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[1]);
  } catch {
    return undefined;
  }
}
