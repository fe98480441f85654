import { posix } from "node:path";
import type { TreeFile } from "../../platform/git/index.ts";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, readProjectFile, removeProjectFile } from "../../platform/project-files/index.ts";

/** A file of a source that says which run's result it was made from; it travels with the source. */
const provenanceFile = ".slipway/source.json";
const maxBytes = 10_000;
const maxIdLength = 100;

/** Adds to files which run they are from; not where a person has put something else in the place of that file. */
export async function* withProvenance(files: AsyncIterable<TreeFile>, projectId: string): AsyncGenerator<TreeFile> {
  let isTaken = false;
  for await (const file of files) {
    // A link of a person's is not the file that says where it is from.
    if (file.path === provenanceFile) continue;
    isTaken ||= file.path === posix.dirname(provenanceFile) || file.path.startsWith(`${provenanceFile}/`);
    yield file;
  }
  const text = Buffer.from(`${JSON.stringify({ project_id: projectId }, undefined, 2)}\n`);
  if (!isTaken) yield { path: provenanceFile, kind: "file", sizeBytes: text.length, content: [text] };
}

/** Removes that file and returns the run's id; undefined if the file is missing or not readable. */
export async function takeProvenance(folder: string): Promise<string | undefined> {
  const text = await unlessRefused(async () =>
    (await readProjectFile(folder, provenanceFile, { maxBytes })).toString(),
  );
  if (text === undefined) return undefined;
  await removeProjectFile(folder, provenanceFile);
  return readProjectId(text);
}

async function unlessRefused<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
    throw error;
  }
}

function readProjectId(text: string): string | undefined {
  try {
    const { project_id } = JSON.parse(text) as { project_id?: unknown };
    // Of an archive that anybody made: no database takes a zero byte, and nobody reads nine thousand letters.
    return typeof project_id === "string" ? oneLine(project_id, maxIdLength) : undefined;
  } catch {
    return undefined;
  }
}
