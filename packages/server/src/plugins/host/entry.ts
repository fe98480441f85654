import { text } from "node:stream/consumers";
import { loadPlugin } from "./load-plugin.ts";
import { workspaceIn } from "./workspace.ts";

/**
 * The process in which one plugin of others is asked one thing. It imports nothing of the service: in its cage there is
 * nothing else to read. The question comes on standard input, the answer is one line on standard output.
 */
interface Question {
  readonly ask: "describe" | "plan" | "build";
  /** The folder of the plugin's package. */
  readonly plugin: string;
  readonly type?: string;
  readonly document?: unknown;
  readonly task?: unknown;
  /** Where the result is built, and where in it the result says how it is run. */
  readonly folder?: string;
  readonly scriptsFile?: string;
}

interface OutcomeType {
  readonly name: string;
  plan(document: unknown): Promise<{ scripts?: object }> | { scripts?: object };
  build(task: unknown, workspace: unknown): unknown;
}

/** What a plugin prints is no answer. */
const writeAnswer = process.stdout.write.bind(process.stdout);
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

const question = JSON.parse(await text(process.stdin)) as Question;
let line: string;
try {
  line = JSON.stringify({ is: "answer", answer: (await answer(question)) ?? null });
} catch (error) {
  line = JSON.stringify({ is: "failed", message: messageOf(error) });
}
// At once: what a plugin has left running is not waited for.
writeAnswer(`${line}\n`, () => process.exit(0));

async function answer({ ask, plugin, type: name, document, task, folder, scriptsFile }: Question): Promise<unknown> {
  const exported = await loadPlugin(plugin);
  if (ask === "describe") return describe(exported);
  const types = (exported as { outcome_types: readonly OutcomeType[] }).outcome_types;
  const type = types.find((one) => one.name === name);
  if (type === undefined) throw new Error(`There is no outcome type '${name}' in it any more.`);
  const plan = await type.plan(document);
  if (ask === "plan") return plan;
  const workspace = workspaceIn(folder!, document);
  await type.build(task, workspace);
  const saysHow = Object.keys(plan.scripts ?? {}).length > 0;
  if (saysHow && (await workspace.read(scriptsFile!)) === undefined)
    await workspace.write(scriptsFile!, `${JSON.stringify(plan.scripts, undefined, 2)}\n`);
  return null;
}

/** The plugin as far as it can be told; a mark for each function, also those of a class. */
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

function messageOf(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return message.slice(0, 2_000);
}
