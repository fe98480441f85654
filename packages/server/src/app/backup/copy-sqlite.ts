import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "../../platform/one-line.ts";
import { FileRefusal, listProjectFolder, openProjectFile } from "../../platform/project-files/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";

interface Tree {
  /** What programs of which account write into. */
  readonly folder: string;
  readonly account: string;
}

/** The copies of a tree's databases. */
export interface SqliteCopies {
  /** Where each of them is, from `scratch` on. */
  readonly copies: ReadonlyMap<string, string>;
  /** Why the others could not be copied. */
  readonly failures: ReadonlyMap<string, string>;
}

const header = "SQLite format 3\0";
const data = { hasRepositories: true, skipsOddNames: true } as const;
const maxDepth = 200;
const maxDatabases = 10_000;
const limitMs = 60 * 60_000;

/** Copies the SQLite databases below a folder as they are at one moment, though programs write to them. */
export async function copySqlite(
  { sandbox, signal }: { readonly sandbox: Pick<Sandbox, "runCommand">; readonly signal: AbortSignal },
  { folder, account }: Tree,
  scratch: string,
): Promise<SqliteCopies> {
  const found = await findDatabases(folder);
  if (found.paths.length === 0) return { copies: new Map(), failures: new Map() };
  await removeFolder(scratch);
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  await writeFile(join(scratch, "copy.mjs"), readFileSync(new URL("./sqlite-copier.mjs", import.meta.url)));
  const { stdout, stderr, exitCode, outcome } = await sandbox.runCommand(
    {
      command: "exec node --no-warnings copy.mjs",
      folder: scratch,
      env: {},
      account: { name: account, folders: [folder] },
      stdin: JSON.stringify(found.paths.map((path) => join(folder, path))),
    },
    // A database may claim to be far larger than its file.
    { memoryBytes: 1 << 30, cpuCores: 1, processes: 8, diskBytes: 2 * found.bytes + (256 << 20), limitMs, signal },
  );
  const failures = new Map(readFailures(stdout, found.paths));
  const copies = new Map<string, string>();
  for (const [index, path] of found.paths.entries()) {
    if (failures.has(path)) continue;
    if (await isFile(scratch, `${index}.db`)) copies.set(path, `${index}.db`);
    else failures.set(path, exitCode === 0 ? "no copy was made" : oneLine(`${outcome.is}: ${stderr}`, 200));
  }
  return { copies, failures };
}

/** What SQLite keeps beside a database; a copy of the database contains it. */
export function isBesideDatabase(path: string, databases: { has(path: string): boolean }): boolean {
  const [, database] = /^(.*)-(?:wal|shm|journal)$/s.exec(path) ?? [];
  return database !== undefined && databases.has(database);
}

async function findDatabases(root: string) {
  const paths: string[] = [];
  let bytes = 0;
  const folders = [{ path: ".", depth: 0 }];
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path, depth } = next;
    // What cannot be read is told when the tree is packed.
    const entries = await listProjectFolder(root, path, data).catch(ignoreRefusal);
    for (const { name, kind } of entries ?? []) {
      const inner = path === "." ? name : `${path}/${name}`;
      if (kind === "folder" && depth < maxDepth) folders.push({ path: inner, depth: depth + 1 });
      if (kind !== "file" || paths.length >= maxDatabases) continue;
      const allocatedBytes = await sizeOfDatabase(root, inner).catch(ignoreRefusal);
      if (allocatedBytes === undefined) continue;
      paths.push(inner);
      bytes += allocatedBytes;
    }
  }
  return { paths, bytes };
}

/** What a file takes up on the disk; undefined if it is not a database. */
async function sizeOfDatabase(root: string, path: string): Promise<number | undefined> {
  const file = await openProjectFile(root, path, { ...data, maxBytes: Number.POSITIVE_INFINITY });
  try {
    for await (const chunk of file.chunks())
      return chunk.toString("latin1", 0, header.length) === header ? file.allocatedBytes : undefined;
    return undefined;
  } finally {
    await file.close();
  }
}

async function isFile(root: string, path: string): Promise<boolean> {
  const file = await openProjectFile(root, path, { maxBytes: Number.POSITIVE_INFINITY }).catch(ignoreRefusal);
  await file?.close();
  return file !== undefined;
}

/** The lines come from the sandbox: whatever they are, they are only told. */
function* readFailures(stdout: string, paths: readonly string[]): Generator<[string, string]> {
  for (const line of stdout.split("\n").filter(Boolean)) {
    try {
      const { index, reason } = JSON.parse(line) as { index?: unknown; reason?: unknown };
      const path = typeof index === "number" ? paths[index] : undefined;
      if (path !== undefined) yield [path, oneLine(String(reason), 200)];
    } catch {
      // The copy is missing then, which is told as well.
    }
  }
}

function ignoreRefusal(error: unknown): undefined {
  if (error instanceof FileRefusal && error.code !== "stuck") return undefined;
  throw error;
}
