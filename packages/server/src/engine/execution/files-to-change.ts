import { type CompleteSpec, type PlannedTask, valueAt } from "@slipway/spec";
import { FileRefusal, readProjectFile } from "../../platform/project-files/index.ts";
import type { Workspaces } from "../workspaces/index.ts";

const maxFiles = 400;
const maxFileBytes = 64 * 1024;
const maxNamed = 20;

interface Finished {
  readonly projectId: string;
  readonly task: Pick<PlannedTask, "serves">;
  readonly document: CompleteSpec;
  readonly folder: { readonly path: string; readonly base: string };
  readonly signal: AbortSignal;
}

/** The files of a result that have most to do with what a task serves: those that name most of its words, at most 20. */
export async function filesToChange(
  { workspaces }: { readonly workspaces: Pick<Workspaces, "listFiles"> },
  { projectId, task, document, folder, signal }: Finished,
): Promise<readonly string[]> {
  const words = wordsOf(task.serves.map((pointer) => `${pointer} ${JSON.stringify(valueAt(document, pointer))}`));
  const files = await workspaces.listFiles(projectId, folder.base, { signal });
  const small = files.filter(({ path, kind, sizeBytes }) => {
    return kind !== "link" && sizeBytes <= maxFileBytes && !path.startsWith("docs/tasks/");
  });
  const found: { readonly path: string; readonly count: number }[] = [];
  for (const { path } of small.slice(0, maxFiles)) {
    const named = wordsOf([path, await textOf(folder.path, path, signal)]);
    found.push({ path, count: [...words].filter((word) => named.has(word)).length });
  }
  return found
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
    .slice(0, maxNamed)
    .map(({ path }) => path);
}

/** An agent that was interrupted may have left anything in the place of a file. */
async function textOf(folder: string, path: string, signal: AbortSignal): Promise<string> {
  try {
    return (await readProjectFile(folder, path, { maxBytes: maxFileBytes, signal })).toString("utf8");
  } catch (error) {
    if (error instanceof FileRefusal) return "";
    throw error;
  }
}

function wordsOf(texts: readonly string[]): ReadonlySet<string> {
  return new Set(texts.flatMap((text) => text.toLowerCase().match(/\p{L}{4,}/gu) ?? []));
}
