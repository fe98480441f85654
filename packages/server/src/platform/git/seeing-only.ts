import { once } from "node:events";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { spawnProgram } from "../process/index.ts";

const bwrap = ["/usr/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));

/** Programs and libraries. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/etc/ld.so.cache"];

let works: Promise<boolean> | undefined;

/**
 * The beginning of a command line that shows git the system's programs and these folders, and nothing else: who exchanges a
 * folder for a link while git reads there leads it nowhere. Empty where bubblewrap does not work, or git is none of the system's.
 */
export async function seeingOnly(folders: readonly string[]): Promise<readonly string[]> {
  if (!isSystemGit()) return [];
  works ??= canRun([...commandLine([]), "git", "--version"]);
  if (await works) return commandLine(folders);
  // A machine that is short of processes for a moment must not do without until the next start.
  works = undefined;
  return [];
}

function isSystemGit(): boolean {
  const found = (process.env["PATH"] ?? "").split(delimiter).find((folder) => existsSync(join(folder, "git")));
  return system.some((folder) => `${found}/`.startsWith(`${folder}/`));
}

function commandLine(folders: readonly string[]): string[] {
  // What is in another folder comes after it, which would cover it.
  const inner = folders.toSorted((a, b) => a.length - b.length);
  return [
    bwrap ?? "bwrap",
    // Root reads what belongs to the users of runs.
    ...(process.geteuid?.() === 0 ? ["--cap-add", "CAP_DAC_OVERRIDE", "--cap-add", "CAP_FOWNER"] : []),
    ...system.flatMap((path) => ["--ro-bind-try", path, path]),
    ...["--dev", "/dev"],
    ...inner.flatMap((path) => ["--bind", path, path]),
    "--",
  ];
}

async function canRun([program = "", ...args]: readonly string[]): Promise<boolean> {
  if (bwrap === undefined) return false;
  try {
    const [code] = await once(spawnProgram(program, args, { cwd: "/", stdio: "ignore" }), "exit");
    return code === 0;
  } catch {
    return false;
  }
}
