import { diskFault } from "../../platform/disk-fault.ts";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, listProjectFolder, openProjectFile } from "../../platform/project-files/index.ts";

const header = "SQLite format 3\0";
const data = { hasRepositories: true, skipsOddNames: true } as const;
const maxDepth = 200;
const maxDatabases = 10_000;
const besides = ["-journal", "-wal", "-shm"];

interface Database {
  readonly path: string;
  /** What it takes up on the disk, with what SQLite keeps beside it. */
  readonly bytes: number;
  readonly identity: string;
  /** SQLite finds what it keeps beside a database by this name. */
  readonly hasBeside: boolean;
}

interface Found {
  /** Each file once, however many names it has. */
  readonly databases: readonly Database[];
  /** Its other names. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Those that SQLite must not open, with the reason. */
  readonly failures: Map<string, string>;
}

/** Finds the SQLite databases below a folder that programs change meanwhile. */
export async function findDatabases(root: string, maxEntries: number): Promise<Found> {
  const all: Database[] = [];
  const failures = new Map<string, string>();
  for await (const found of eachDatabase(root, maxEntries))
    if (typeof found.problem === "string") failures.set(found.path, found.problem);
    else all.push(found);
  const first = new Map<string, Database>();
  // The name with a journal knows more than the file itself.
  for (const one of [...all].sort((a, b) => Number(b.hasBeside) - Number(a.hasBeside)))
    if (!first.has(one.identity)) first.set(one.identity, one);
  const names = new Map<string, string[]>();
  for (const one of all) {
    const { path } = first.get(one.identity)!;
    if (one.path === path) continue;
    if (one.hasBeside) failures.set(one.path, `it is the same file as '${oneLine(path, 200)}', and each has a journal`);
    else if (!names.get(path)?.push(one.path)) names.set(path, [one.path]);
  }
  return { databases: all.filter((one) => first.get(one.identity) === one), names, failures };
}

async function* eachDatabase(
  root: string,
  maxEntries: number,
): AsyncGenerator<(Database & { problem?: never }) | { readonly path: string; readonly problem: string }> {
  let [count, seen] = [0, 0];
  // By their identity: a file with many names would count for all of them.
  const counted = new Set<string>();
  const bytesOf = ({ identity, allocatedBytes }: Looked) => {
    if (counted.has(identity)) return 0;
    counted.add(identity);
    return allocatedBytes;
  };
  const folders = [{ path: ".", depth: 0 }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path, depth } = next;
    // What cannot be read is told when the tree is packed.
    const entries = (await listProjectFolder(root, path, data).catch(ignoreRefusal)) ?? [];
    const kinds = new Map(entries.map(({ name, kind }) => [name, kind]));
    for (const [name, kind] of kinds) {
      const inner = path === "." ? name : `${path}/${name}`;
      seen += 1;
      // A program may move folders ahead of us without end.
      if (seen > maxEntries) return yield { path: ".", problem: "the folder grew while databases were looked for" };
      if (kind === "folder" && depth < maxDepth) folders.push({ path: inner, depth: depth + 1 });
      if (kind !== "file" || count >= maxDatabases) continue;
      const file = await lookAtFile(root, inner).catch(ignoreRefusal);
      if (!file?.isDatabase) continue;
      count += 1;
      const beside = besides.map((end) => name + end).filter((one) => kinds.has(one));
      const odd = beside.find((one) => kinds.get(one) !== "file");
      // SQLite would wait for a pipe.
      if (odd !== undefined) yield { path: inner, problem: `${oneLine(odd, 200)} is not a regular file` };
      else {
        let bytes = bytesOf(file);
        for (const end of besides.filter((one) => kinds.has(name + one))) {
          const found = await lookAtFile(root, inner + end).catch(ignoreRefusal);
          if (found !== undefined) bytes += bytesOf(found);
        }
        yield { path: inner, bytes, identity: file.identity, hasBeside: beside.length > 0 };
      }
    }
  }
}

interface Looked {
  readonly identity: string;
  /** What it takes up on the disk. */
  readonly allocatedBytes: number;
  readonly isDatabase: boolean;
}

async function lookAtFile(root: string, path: string): Promise<Looked> {
  const file = await openProjectFile(root, path, { ...data, maxBytes: Number.POSITIVE_INFINITY });
  const { allocatedBytes, identity } = file;
  let isDatabase = false;
  try {
    for await (const chunk of file.chunks()) {
      isDatabase = chunk.toString("latin1", 0, header.length) === header;
      break;
    }
  } finally {
    await file.close();
  }
  return { allocatedBytes, identity, isDatabase };
}

/** What programs, or a disk that fails, do to files is told when the tree is packed. */
export function ignoreRefusal(error: unknown): undefined {
  if (diskFault(error) !== undefined || (error instanceof FileRefusal && error.code !== "stuck")) return undefined;
  throw error;
}
