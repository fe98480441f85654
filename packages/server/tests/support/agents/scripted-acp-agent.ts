import { appendFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable, Writable } from "node:stream";
import { setTimeout as delay } from "node:timers/promises";
import * as acp from "@agentclientprotocol/sdk";

/** What the agent does when it is prompted, step by step. */
export type AcpStep =
  | { readonly say: string }
  | { readonly update: unknown }
  | { readonly write: string; readonly text: string }
  | { readonly ask: string; readonly kinds: readonly acp.PermissionOptionKind[]; readonly times?: number }
  | { readonly print: string; readonly times?: number }
  | { readonly exit: number; readonly complain?: string }
  | { readonly hang: "politely" | "deafly" }
  /** Writes its process id into the first file, and waits for the other. */
  | { readonly arrive: string; readonly wait: string }
  | { readonly refuse: { readonly code: number; readonly message: string } };

export interface AcpScript {
  readonly steps?: readonly AcpStep[];
  readonly stopReason?: string;
  /** How often it says that reason, in one text. */
  readonly stopTimes?: number;
  readonly usage?: unknown;
  /** What it can do with an earlier session. */
  readonly loads?: "never" | "always" | "not this one";
  /** What it does instead of greeting. */
  readonly atStart?: "hang" | "garbage" | "requests" | "exit" | "other version" | "banner";
  readonly login?: boolean;
  /** What it answers to a method, instead of what it should. */
  readonly answers?: Readonly<Record<string, unknown>>;
  readonly modes?: readonly string[];
}

const script = JSON.parse(process.argv[2] ?? "{}") as AcpScript;
const note = (text: string) => appendFileSync(join(process.cwd(), ".agent-notes"), `${text}\n`);

if (script.atStart === "garbage") for (let line = 0; line < 2000; line += 1) console.log(`Welcome! ${line}`);
if (script.atStart === "requests")
  for (let id = 0; id < 20_000; id += 1) console.log(JSON.stringify({ jsonrpc: "2.0", id, method: "x/unknown" }));
if (script.atStart === "banner")
  console.log('An agent\n{"not": "a message"}\n{ nor this\n[1, 2]\n{"id": 99, "result": {}}');
if (script.atStart === "exit") {
  console.error("no model is configured");
  process.exit(3);
}
if (["hang", "garbage", "requests"].includes(script.atStart ?? "")) setInterval(() => {}, 1000);
else serve();

function serve(): void {
  let cancel = () => {};
  acp
    .agent({ name: "scripted" })
    .onRequest("initialize", ({ params }) => {
      note(`initialize ${JSON.stringify(params.clientCapabilities)}`);
      if (script.answers && "initialize" in script.answers) return script.answers["initialize"] as never;
      return {
        protocolVersion: script.atStart === "other version" ? 7 : acp.PROTOCOL_VERSION,
        agentInfo: { name: "scripted", version: "1.2.3" },
        agentCapabilities: { loadSession: (script.loads ?? "never") !== "never" },
      };
    })
    .onRequest("session/new", ({ params }) => {
      if (script.login) throw new acp.RequestError(-32_000, "Authentication required");
      note(`new ${params.cwd}`);
      if (script.answers && "session/new" in script.answers) return script.answers["session/new"] as never;
      return { sessionId: "session-new", ...(script.modes && { modes: modesOf(script.modes) }) };
    })
    .onRequest("session/set_mode", ({ params }) => {
      note(`mode ${params.modeId}`);
      return {};
    })
    .onRequest("session/load", async ({ params, client }) => {
      note(`load ${params.sessionId}`);
      if (script.loads !== "always") throw new acp.RequestError(-32_602, "no such session");
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "of old" } } as const;
      await client.notify("session/update", { sessionId: params.sessionId, update });
      return {};
    })
    .onNotification("session/cancel", () => {
      note("cancel");
      cancel();
    })
    .onRequest("session/prompt", async ({ params: { sessionId, prompt }, client }) => {
      note(`prompt ${prompt.map((block) => (block.type === "text" ? block.text : "")).join("")}`);
      const cancelled = new Promise<void>((resolve) => {
        cancel = resolve;
      });
      for (const step of script.steps ?? []) {
        if (await perform(step, sessionId, client, cancelled)) return { stopReason: "cancelled" };
      }
      if (script.answers && "session/prompt" in script.answers) return script.answers["session/prompt"] as never;
      return {
        stopReason: (script.stopReason ?? "end_turn").repeat(script.stopTimes ?? 1) as acp.StopReason,
        ...(script.usage !== undefined && { usage: script.usage }),
      };
    })
    .connect(acp.ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream));
}

function modesOf(ids: readonly string[]): acp.SessionModeState {
  return { currentModeId: ids[0]!, availableModes: ids.map((id) => ({ id, name: id })) };
}

async function perform(
  step: AcpStep,
  sessionId: string,
  client: acp.AgentContext,
  cancelled: Promise<void>,
): Promise<boolean> {
  const tell = (update: unknown) => client.notify("session/update", { sessionId, update: update as acp.SessionUpdate });
  if ("say" in step) {
    for (const word of step.say.split(/(?<= )/))
      await tell({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: word } });
  } else if ("update" in step) {
    await tell(step.update);
  } else if ("write" in step) {
    const path = join(process.cwd(), step.write);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, step.text);
  } else if ("ask" in step) {
    const askOnce = async () => {
      const { outcome }: acp.RequestPermissionResponse = await client.request("session/request_permission", {
        sessionId,
        toolCall: { toolCallId: "asked", title: step.ask, kind: "execute" },
        options: step.kinds.map((kind) => ({ optionId: `the-${kind}`, name: kind, kind })),
      });
      note(`answer ${outcome.outcome === "selected" ? outcome.optionId : outcome.outcome}`);
    };
    await Promise.all(Array.from({ length: step.times ?? 1 }, askOnce));
  } else if ("print" in step) {
    // Waits until it is out: what a web stream writes while the pipe is full is lost.
    const text = `${step.print}\n`.repeat(step.times ?? 1);
    await new Promise<void>((resolve) => process.stdout.write(text, () => resolve()));
  } else if ("exit" in step) {
    process.stderr.write(step.complain ?? "");
    process.exit(step.exit);
  } else if ("arrive" in step) {
    writeFileSync(step.arrive, String(process.pid));
    while (!existsSync(step.wait)) await delay(20);
  } else if ("hang" in step) {
    await (step.hang === "politely" ? cancelled : new Promise(() => {}));
    return true;
  } else {
    throw new acp.RequestError(step.refuse.code, step.refuse.message, { details: "the model said no" });
  }
  return false;
}
