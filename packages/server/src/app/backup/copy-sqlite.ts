import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { oneLine } from "../../platform/one-line.ts";
import { openProjectFile } from "../../platform/project-files/index.ts";
import { removeFolder } from "../../platform/remove-folder.ts";
import { limitMessage, type Sandbox } from "../../platform/sandbox/index.ts";
import { findDatabases, ignoreRefusal } from "./find-sqlite.ts";

interface Tree {
  /** What programs of which account write into. */
  readonly folder: string;
  readonly account: string;
  /** After so many files and folders, no further database is looked for. */
  readonly maxEntries: number;
}

/** The copies of a tree's databases. */
export interface SqliteCopies {
  /** Where each of them is, from `scratch` on. */
  readonly copies: ReadonlyMap<string, string>;
  /** Why the others could not be copied. */
  readonly failures: ReadonlyMap<string, string>;
  /** How much longer it took than its bytes should take. */
  readonly waitedMs: number;
}

/** How long programs that lock their databases, or attack whoever opens them, can hold a backup up. */
interface Limits {
  /** How long to wait for a lock. */
  readonly busyMs: number;
  /** For each database, and for all together; the time for their bytes is added. */
  readonly databaseMs: number;
  readonly togetherMs: number;
  readonly bytesPerSecond: number;
}

/** For one deployment. */
export const usualLimits: Limits = {
  busyMs: 60_000,
  databaseMs: 90_000,
  togetherMs: 5 * 60_000,
  bytesPerSecond: 8 * 1024 ** 2,
};
const maxTogetherMs = 60 * 60_000;
/** To start and to end what copies. */
const spareMs = 60_000;

/** Copies the SQLite databases below a folder as they are at one moment, though programs write to them. */
export async function copySqlite(
  { sandbox, signal }: { readonly sandbox: Pick<Sandbox, "runCommand">; readonly signal: AbortSignal },
  { folder, account, maxEntries }: Tree,
  scratch: string,
  limits: Limits,
): Promise<SqliteCopies> {
  const { databases, names, failures } = await findDatabases(folder, maxEntries);
  const copies = new Map<string, string>();
  if (databases.length === 0) return { copies, failures, waitedMs: 0 };
  const start = performance.now();
  const bytes = databases.reduce((sum, one) => sum + one.bytes, 0);
  const within = (ms: number, size: number) => Math.min(ms + (size / limits.bytesPerSecond) * 1000, maxTogetherMs);
  await removeFolder(scratch);
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  await writeFile(join(scratch, "copy.mjs"), readFileSync(new URL("./sqlite-copier.mjs", import.meta.url)));
  const { stdout, stderr, exitCode, outcome } = await sandbox.runCommand(
    {
      command: "exec node --no-warnings copy.mjs",
      folder: scratch,
      env: {},
      account: { name: account, folders: [folder], isReader: true },
      stdin: JSON.stringify({
        ...{ busyMs: limits.busyMs, limitMs: within(limits.togetherMs, bytes) },
        databases: databases.map((one) => ({
          path: join(folder, one.path),
          limitMs: within(limits.databaseMs, one.bytes),
        })),
      }),
    },
    // A database may claim to be far larger than its file.
    {
      ...{ memoryBytes: 1 << 30, cpuCores: 1, processes: 8, diskBytes: 2 * bytes + (256 << 20), signal },
      limitMs: Math.max(0, within(limits.togetherMs, bytes)) + spareMs,
    },
  );
  const reasons = readReasons(stdout);
  const broken = limitMessage("The copy", outcome, { memorySetting: undefined });
  for (const [index, { path }] of databases.entries()) {
    const reason =
      reasons.get(index) ??
      ((await isFile(scratch, `${index}.db`)) ? undefined : (broken ?? whyNone(exitCode, `${outcome.is}: ${stderr}`)));
    for (const name of [path, ...(names.get(path) ?? [])])
      if (reason === undefined) copies.set(name, `${index}.db`);
      else failures.set(name, reason);
  }
  return { copies, failures, waitedMs: Math.max(0, performance.now() - start - within(0, bytes)) };
}

function whyNone(exitCode: number | null, end: string): string {
  return exitCode === 0 ? "no copy was made" : oneLine(end, 200);
}

/** What SQLite keeps beside a database; a copy of the database contains it. */
export function isBesideDatabase(path: string, databases: { has(path: string): boolean }): boolean {
  const [, database] = /^(.*)-(?:wal|shm|journal)$/s.exec(path) ?? [];
  return database !== undefined && databases.has(database);
}

async function isFile(root: string, path: string): Promise<boolean> {
  const file = await openProjectFile(root, path, { maxBytes: Number.POSITIVE_INFINITY }).catch(ignoreRefusal);
  await file?.close();
  return file !== undefined;
}

/** The lines come from the sandbox: whatever they are, they are only told. */
function readReasons(stdout: string): ReadonlyMap<unknown, string> {
  const reasons = new Map<unknown, string>();
  for (const line of stdout.split("\n").filter(Boolean)) {
    try {
      const { index, reason } = JSON.parse(line) as { index?: unknown; reason?: unknown };
      reasons.set(index, oneLine(String(reason), 200));
    } catch {
      // The copy is missing then, which is told as well.
    }
  }
  return reasons;
}
