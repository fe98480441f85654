import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { CompleteSpec } from "@slipway/spec";
import { isHugeJson } from "../bounded-json.ts";
import { hearWhatCame } from "../hear-what-came.ts";
import { lastLine, oneLine } from "../one-line.ts";
import {
  documentLimits,
  limitMessage,
  type Network,
  type ProcessLimits,
  type Sandbox,
  type SandboxedProcess,
} from "../sandbox/index.ts";
import type { PluginPlace } from "./plugin-place.ts";

/** A plugin could not be used, or failed; the message is a sentence that says why. */
export class PluginFailure extends Error {
  override readonly name = "PluginFailure";
}

export interface AskingLimits {
  readonly wallMs: number;
  readonly memoryBytes: number;
  readonly outputBytes: number;
}

/** Generous, so that a busy machine does not fail a plugin; `build` may write many files. */
export const defaultLimits: Readonly<Record<Question["ask"], AskingLimits>> = {
  describe: { wallMs: 20_000, memoryBytes: 512 * 2 ** 20, outputBytes: 2 ** 20 },
  plan: { wallMs: 20_000, memoryBytes: 512 * 2 ** 20, outputBytes: 2 ** 20 },
  build: { wallMs: 120_000, memoryBytes: 512 * 2 ** 20, outputBytes: 2 ** 20 },
  check: { wallMs: 120_000, memoryBytes: 512 * 2 ** 20, outputBytes: 2 ** 20 },
  secrets: { wallMs: 20_000, memoryBytes: 512 * 2 ** 20, outputBytes: 2 ** 20 },
  // Time is limited by the supervisor of the agent, memory by the document.
  start: { wallMs: 24 * 3_600_000, memoryBytes: Number.POSITIVE_INFINITY, outputBytes: 16 * 2 ** 20 },
};

export type Question =
  | { readonly ask: "describe" }
  | { readonly ask: "plan"; readonly type: string; readonly document: CompleteSpec }
  | {
      readonly ask: "build";
      readonly type: string;
      readonly document: CompleteSpec;
      readonly task: unknown;
      readonly folder: string;
      readonly scriptsFile: string;
    }
  | {
      readonly ask: "check";
      /** The outcome type whose own checks run too; undefined: only the lines. */
      readonly type?: string;
      readonly document: CompleteSpec;
      readonly lines: readonly { readonly name: string; readonly value: unknown }[];
      readonly folder: string;
    }
  | { readonly ask: "secrets"; readonly provider: string; readonly names: readonly string[]; readonly config: unknown }
  | {
      readonly ask: "start";
      readonly driver: string;
      readonly document: CompleteSpec;
      readonly task: unknown;
      readonly folder: string;
    };

/** What a question may use beyond the defaults of the sandbox. */
interface AskingOptions {
  readonly signal?: AbortSignal;
  readonly network?: Network;
  readonly env?: Readonly<Record<string, string>>;
}

export interface AskDeps {
  readonly sandbox: Pick<Sandbox, "startProcess" | "found">;
  readonly limits?: typeof defaultLimits;
}

const entry = fileURLToPath(new URL("./host/entry.ts", import.meta.url));
/** Node reads it to learn that the files below it are modules. */
const manifest = fileURLToPath(new URL("../../../package.json", import.meta.url));
/** After the end of a plugin, its answer comes sooner. */
const silenceMs = 1_000;
const limitsOfAll = { cpuCores: 1, processes: 8, diskBytes: 2 ** 30 };

/** Asks a plugin one question in a sandboxed process that ends with the answer; throws a PluginFailure. */
export async function askPlugin(
  { sandbox, limits = defaultLimits }: AskDeps,
  place: PluginPlace,
  question: Question,
  { signal, network = "none", env = {} }: AskingOptions = {},
): Promise<unknown> {
  try {
    const limit = limitsOf(question, limits[question.ask]);
    const child = await sandbox.startProcess({
      runId: `plugin-${randomUUID()}`,
      command: [join(sandbox.found.nodeFolder, "node"), entry],
      ...("folder" in question && { folder: question.folder }),
      readable: [join(entry, ".."), manifest, ...place.readable],
      network,
      limits: limit,
      env: { ...env, NODE_NO_WARNINGS: "1" },
      stdin: "pipe",
      graceMs: 0,
      ...(signal !== undefined && { signal }),
    });
    child.stdin!.end(JSON.stringify({ ...question, plugin: place.folder }));
    return await readOutput(child, limit, memorySettingOf(question, limit));
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof PluginFailure) throw error;
    throw new PluginFailure(sentence(`It could not be started: ${(error as Error).message}`), { cause: error });
  }
}

/** A plugin's own limits; a document may set the cores, and a lower limit of memory. */
function limitsOf(question: Question, own: AskingLimits): ProcessLimits & AskingLimits {
  if (!("document" in question)) return { ...limitsOfAll, ...own };
  const { memoryBytes, cpuCores } = documentLimits(question.document);
  return { ...limitsOfAll, ...own, cpuCores, memoryBytes: Math.min(memoryBytes, own.memoryBytes) };
}

function memorySettingOf(question: Question, { memoryBytes }: AskingLimits): string | undefined {
  const isOfDocument = "document" in question && documentLimits(question.document).memoryBytes === memoryBytes;
  return isOfDocument ? "resources.memory_gb" : undefined;
}

async function readOutput(
  child: SandboxedProcess,
  { wallMs }: AskingLimits,
  memorySetting: string | undefined,
): Promise<unknown> {
  const outputs = [collect(child.stdout), collect(child.stderr)] as const;
  const end = await child.ended;
  await Promise.race([Promise.all(outputs.map(({ isWhole }) => isWhole)), untilSilent(outputs)]);
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
  const [answer, errors] = outputs.map(({ text }) => text) as [string, string];
  if (end.is === "timeout") throw new PluginFailure(`It did not answer within ${wallMs / 1000} s.`);
  if (end.is === "cancelled") throw new PluginFailure("It was stopped.");
  const broken = limitMessage("It", end, { memorySetting });
  if (broken !== undefined) throw new PluginFailure(broken);
  if (isHugeJson(answer))
    throw new PluginFailure("Its answer cannot be read: it has too many values, or they lie too deep in each other.");
  const line = readAnswer(answer);
  if (line?.is === "answer") return line.answer;
  if (line?.is === "failed") throw new PluginFailure(sentence(`It failed: ${line.message}`));
  const last = lastLine(errors);
  const how = end.is === "exited" ? (end.signal ?? `exit code ${end.exitCode}`) : end.is;
  throw new PluginFailure(sentence(`It ended without an answer (${how})${last === "" ? "" : `: ${last}`}`));
}

interface Collected {
  text: string;
  readonly isWhole: Promise<void>;
}

function collect(stream: SandboxedProcess["stdout"]): Collected {
  // Where it was cut off, what came until then counts.
  const collected = { text: "", isWhole: finished(stream, { writable: false }).catch(() => undefined) };
  stream.setEncoding("utf8").on("data", (part: string) => {
    collected.text += part;
  });
  return collected;
}

/** Where no sandbox contains it, a program that it has left may keep its output open for as long as it likes. */
async function untilSilent(outputs: readonly Collected[]): Promise<void> {
  const chars = () => outputs.reduce((sum, { text }) => sum + text.length, 0);
  for (let before = -1; before !== chars(); ) {
    before = chars();
    await delay(silenceMs, undefined, { ref: false });
    await hearWhatCame();
  }
}

type Answer = { readonly is: "answer"; readonly answer: unknown } | { readonly is: "failed"; readonly message: string };

/** A plugin can write its answer itself, past what cuts the message of an error. */
const maxMessageLength = 2_000;

/** Undefined when the plugin wrote something else to the pipe. */
function readAnswer(text: string): Answer | undefined {
  try {
    const line = JSON.parse(text) as Answer | null;
    if (line?.is === "answer") return line;
    return line?.is === "failed"
      ? { is: "failed", message: oneLine(String(line.message), maxMessageLength) }
      : undefined;
  } catch {
    return undefined;
  }
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
