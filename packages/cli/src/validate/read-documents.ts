import { createReadStream, existsSync } from "node:fs";
import { glob } from "node:fs/promises";
import { limits } from "@slipway/spec";

export interface DocumentSource {
  /** The path as given, or `<stdin>`. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Reads files, globs and standard input. Returns a message for each that cannot be read, and reads the others. */
export async function readDocuments(
  patterns: readonly string[],
  input: AsyncIterable<Uint8Array>,
): Promise<{ sources: DocumentSource[]; problems: string[] }> {
  const sources: DocumentSource[] = [];
  const problems: string[] = [];
  const { files, unmatched } = await findFiles(patterns);
  problems.push(...unmatched);
  for (const file of files) {
    try {
      if (file === "-") sources.push({ file: "<stdin>", bytes: await readBounded(input) });
      else sources.push({ file, bytes: await readBounded(createReadStream(file)) });
    } catch (error) {
      problems.push(explain(file, error as NodeJS.ErrnoException));
    }
  }
  return { sources, problems };
}

async function findFiles(patterns: readonly string[]): Promise<{ files: Set<string>; unmatched: string[] }> {
  const files = new Set<string>();
  const unmatched: string[] = [];
  for (const pattern of patterns) {
    // An existing file whose name looks like a glob is not a glob.
    if (pattern === "-" || !/[*?[{]/.test(pattern) || existsSync(pattern)) {
      files.add(pattern);
      continue;
    }
    const found = (await Array.fromAsync(glob(pattern))).sort();
    if (found.length === 0) unmatched.push(`no file matches '${pattern}'`);
    for (const file of found) files.add(file);
  }
  return { files, unmatched };
}

/** One byte more than the limit is enough to know that a document is too large. */
const maxBytes = limits.documentBytes + 1;

async function readBounded(input: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

function explain(file: string, error: NodeJS.ErrnoException): string {
  switch (error.code) {
    case "ENOENT":
      return `there is no file '${file}'`;
    case "EISDIR":
      return `'${file}' is a folder; name the documents in it, such as '${file.replace(/\/$/, "")}/*.yaml'`;
    case "EACCES":
      return `no permission to read '${file}'`;
    default:
      return `cannot read '${file}': ${error.message}`;
  }
}
