import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { acceptanceLines, type CompleteSpec, parseSpec, planWork, resolveSpec } from "@slipway/spec";
import { expect, onTestFinished } from "vitest";
import { type BuildTask, type BuildWorkspace, findOutcomeType, scriptsFile, type Unmet } from "../../src/index.ts";

/** A file that is no text has its bytes as Latin-1 in `text`. */
type Files = Map<string, { readonly text: string; readonly bytes: Uint8Array; readonly isExecutable: boolean }>;

/** The text of one of the repository's examples. */
export function readExample(name: string): Promise<string> {
  return readFile(new URL(`../../../../examples/${name}.yaml`, import.meta.url), "utf8");
}

/** Builds a document by doing every task of its plan, in the order of the plan or in reverse. */
export async function buildDocument(text: string, { isReversed = false } = {}): Promise<Built> {
  const { document, diagnostics } = parseSpec(text);
  if (document === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const { document: complete } = resolveSpec(document);
  const type = findOutcomeType(complete.outcome_type);
  if (type === undefined) throw new Error(`There is no blueprint for '${complete.outcome_type}'.`);
  const { files, workspace } = memoryWorkspace(complete);
  const tasks = tasksOf(complete);
  for (const task of isReversed ? tasks.toReversed() : tasks) {
    const before = new Map(files);
    await type.build(task, workspace);
    const hasChanged = [...files].some(([path, { text }]) => before.get(path)?.text !== text);
    if (!hasChanged) throw new Error(`The task '${task.id}' changed nothing.`);
  }
  return { document: complete, files, tasks, scripts: JSON.parse(files.get(scriptsFile)!.text) };
}

/** The same document must give the same bytes, in whatever order its tasks are done. */
export async function expectSameBytes(text: string): Promise<void> {
  const forwards = await buildDocument(text);
  const backwards = await buildDocument(text, { isReversed: true });
  expect((await buildDocument(text)).files).toEqual(forwards.files);
  expect(new Map([...backwards.files].toSorted())).toEqual(new Map([...forwards.files].toSorted()));
}

/** A workspace in memory. */
function memoryWorkspace(document: CompleteSpec): { files: Files; workspace: BuildWorkspace } {
  const files: Files = new Map();
  const workspace: BuildWorkspace = {
    document,
    read: async (path) => files.get(path)?.text,
    write: async (path, content, { isExecutable = false } = {}) => {
      const bytes = Buffer.from(content as string);
      files.set(path, { text: bytes.toString(typeof content === "string" ? "utf8" : "latin1"), bytes, isExecutable });
    },
  };
  return { files, workspace };
}

export interface Built {
  readonly document: CompleteSpec;
  readonly files: Files;
  readonly tasks: readonly BuildTask[];
  readonly scripts: Readonly<Record<string, string>>;
}

/** A document of a type, as JSON: the required fields, and those given. */
export function documentOf(outcomeType: string, fields: Readonly<Record<string, unknown>>): string {
  const base = { spec_version: "1.0.0", id: "small", name: "Small", description: "Something small.", stack: {} };
  return JSON.stringify({ ...base, outcome_type: outcomeType, acceptance: {}, ...fields });
}

/** What the plan of the document says that cannot be honoured. */
export function unmetOf({ document }: Pick<Built, "document">): readonly Unmet[] {
  return findOutcomeType(document.outcome_type)!.plan(document).unmet;
}

/** Writes the files into a folder that is removed after the test. */
export async function writeOut({ files }: Built): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-built-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, { bytes, isExecutable }] of files) {
    const place = join(folder, path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, bytes);
    if (isExecutable) await chmod(place, 0o755);
  }
  return folder;
}

function tasksOf(document: CompleteSpec): BuildTask[] {
  const lines = acceptanceLines(document);
  const plan = planWork(document);
  const kinds = new Map(plan.phases.map(({ name, kind }) => [name, kind]));
  return plan.tasks
    .filter(({ phase }) => kinds.get(phase) === "work")
    .map(({ id, title, phase, description, serves }) => ({
      id,
      title,
      phase,
      ...(description !== undefined && { description }),
      lines: lines.filter(({ pointer }) => serves.includes(pointer)),
    }));
}
