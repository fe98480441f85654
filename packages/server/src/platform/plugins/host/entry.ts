import { readdir } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { loadPlugin } from "./load-plugin.ts";
import { workspaceIn } from "./workspace.ts";

/**
 * The process that asks one third-party plugin one question. It imports nothing of the service, whose files its sandbox
 * hides. The question comes on standard input, the answer goes as one line to standard output.
 */
interface Question {
  readonly ask: "describe" | "plan" | "build" | "check" | "secrets" | "start";
  /** The folder of the plugin's package. */
  readonly plugin: string;
  readonly type?: string;
  readonly document?: unknown;
  readonly task?: unknown;
  /** The folder of the result, and the file in it that says how to run it. */
  readonly folder?: string;
  readonly scriptsFile?: string;
  /** The acceptance lines to check, by the names of the plugin's checks. */
  readonly lines?: readonly { readonly name: string; readonly value: unknown }[];
  readonly provider?: string;
  readonly names?: readonly string[];
  readonly config?: unknown;
  readonly driver?: string;
}

interface OutcomeType {
  readonly name: string;
  plan(document: unknown): Promise<{ scripts?: object }> | { scripts?: object };
  build(task: unknown, workspace: unknown): unknown;
  checks?(workspace: unknown): unknown;
}

/** What a plugin exports; `describe` has validated it before. */
interface Exported {
  readonly outcome_types: readonly OutcomeType[];
  readonly acceptance_checks?: readonly { name: string; check(value: unknown, workspace: unknown): unknown }[];
  readonly secret_providers?: readonly { name: string; read(secret: string, config: unknown): unknown }[];
  readonly agent_drivers?: readonly { name: string; start(task: unknown, workspace: unknown): unknown }[];
}

// Whatever the plugin prints goes to standard error, so that it cannot pass for an answer.
const writeAnswer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

const question = JSON.parse(await text(process.stdin)) as Question;
let line: string;
try {
  line = JSON.stringify({ is: "answer", answer: (await answer(question)) ?? null });
} catch (error) {
  line = JSON.stringify({ is: "failed", message: describeError(error) });
}
// At once, whatever the plugin left running.
writeAnswer(`${line}\n`, () => process.exit(0));

async function answer(question: Question): Promise<unknown> {
  const { ask, plugin, type, document, task, folder } = question;
  const exported = (await loadPlugin(plugin)) as Exported;
  switch (ask) {
    case "describe":
      return describe(exported);
    case "plan":
      return named(exported.outcome_types, type, "outcome type").plan(document);
    case "build":
      return build(named(exported.outcome_types, type, "outcome type"), question);
    case "check":
      return check(exported, question);
    case "secrets":
      return readSecrets(named(exported.secret_providers, question.provider, "secret provider"), question);
    case "start":
      await named(exported.agent_drivers, question.driver, "agent driver").start(task, workspaceIn(folder!, document));
      return null;
  }
}

function named<T extends { readonly name: string }>(
  list: readonly T[] = [],
  name: string | undefined,
  what: string,
): T {
  const found = list.find((one) => one.name === name);
  if (found === undefined) throw new Error(`It no longer has the ${what} '${name}'.`);
  return found;
}

async function build(type: OutcomeType, { document, task, folder, scriptsFile }: Question): Promise<null> {
  const plan = await type.plan(document);
  const workspace = workspaceIn(folder!, document);
  await type.build(task, workspace);
  const hasScripts = Object.keys(plan.scripts ?? {}).length > 0;
  // Only beside files of the plugin: a lone scripts file would hide that the task made nothing.
  const hasFiles = (await readdir(folder!)).some((name) => name !== ".git" && name !== ".slipway");
  if (hasScripts && hasFiles && (await workspace.read(scriptsFile!)) === undefined)
    await workspace.write(scriptsFile!, `${JSON.stringify(plan.scripts, undefined, 2)}\n`);
  return null;
}

/** The verdicts of the outcome type itself, if asked for, then one for each line. */
async function check({ outcome_types, acceptance_checks }: Exported, question: Question): Promise<unknown[]> {
  const { type, lines = [], folder, document } = question;
  const workspace = workspaceIn(folder!, document);
  const verdicts: unknown[] = [];
  if (type !== undefined) {
    const own = await named(outcome_types, type, "outcome type").checks?.(workspace);
    if (Array.isArray(own)) verdicts.push(...own);
    else if (own !== undefined) throw new TypeError("'checks' did not return a list.");
  }
  for (const { name, value } of lines)
    verdicts.push(await named(acceptance_checks, name, "acceptance check").check(value, workspace));
  return verdicts;
}

async function readSecrets(
  provider: { read(secret: string, config: unknown): unknown },
  { names = [], config }: Question,
): Promise<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const name of names) values[name] = (await provider.read(name, config)) ?? null;
  return values;
}

/** The plugin as JSON, with a mark for each function, including the methods of classes. */
function describe(value: unknown, depth = 0): unknown {
  if (typeof value === "function") return "[function]";
  if (typeof value !== "object" || value === null || depth > 40) return value;
  if (Array.isArray(value)) return value.map((item) => describe(item, depth + 1));
  const inherited = ["plan", "build", "checks", "check", "read", "start"].filter((key) => key in value);
  const keys = new Set([...Object.keys(value), ...inherited]);
  return Object.fromEntries(
    [...keys].map((key) => [key, describe((value as Record<string, unknown>)[key], depth + 1)]),
  );
}

function describeError(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return message.length <= 2_000 ? message : `${message.slice(0, 1_999)}…`;
}
