import { createReadStream, existsSync } from "node:fs";
import { glob, realpath } from "node:fs/promises";
import { dirname, isAbsolute, relative, resolve, sep } from "node:path";
import { limits } from "@slipway/spec";
import { shownFile } from "./shown-file.ts";

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
    if (found.length === 0) {
      unmatched.push(`no file matches '${shownFile(pattern)}'`);
      continue;
    }
    const root = await rootOf(pattern);
    for (const file of found) {
      if (await leadsOut(file, root))
        unmatched.push(`'${shownFile(file)}' leads out of the folder: name the file itself`);
      else files.add(file);
    }
  }
  return { files, unmatched };
}

/** What a pattern's files must lie in: this folder, or the one that a pattern elsewhere begins with. */
async function rootOf(pattern: string): Promise<string> {
  const base = dirname(`${pattern.slice(0, pattern.search(/[*?[{]/))}x`);
  return realpath(isBelow(resolve(base), resolve(".")) ? "." : base);
}

/**
 * Whether a file that nobody has named is a link to elsewhere: whoever sends a pull request could have what only its checker
 * may read, such as the environment or git's credentials, shown as the line of a mistake.
 */
async function leadsOut(file: string, root: string): Promise<boolean> {
  // What cannot be found is told when it is read.
  const real = await realpath(file).catch(() => undefined);
  return real !== undefined && (!isBelow(real, root) || relative(root, real).split(sep).includes(".git"));
}

function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
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
  const shown = shownFile(file);
  switch (error.code) {
    case "ENOENT":
      return `there is no file '${shown}'`;
    case "EISDIR":
      return `'${shown}' is a folder; name the documents in it, such as '${shown.replace(/\/$/, "")}/*.yaml'`;
    case "EACCES":
      return `no permission to read '${shown}'`;
    default:
      return `cannot read '${shown}': ${error.message}`;
  }
}
