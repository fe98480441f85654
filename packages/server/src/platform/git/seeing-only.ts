import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { timeLimit } from "../time-limit.ts";

const run = promisify(execFile);
const bwrap = ["/usr/bin/bwrap", "/bin/bwrap"].find((path) => existsSync(path));

/** Programs and libraries. */
const system = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/etc/ld.so.cache"];

const maxTryMs = 30_000;
let isKnownToWork = false;

/**
 * The beginning of a command line that shows git the system's programs and these folders, and nothing else: who exchanges a
 * folder for a link while git reads there leads it nowhere. Empty where bubblewrap does not work, or git is none of the system's;
 * throws where the machine is too short of anything to tell.
 */
export async function seeingOnly(folders: readonly string[]): Promise<readonly string[]> {
  if (!isSystemGit()) return [];
  // Tried again while it does not: what is in the way may go.
  isKnownToWork ||= await works();
  return isKnownToWork ? commandLine(folders) : [];
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

interface Failed {
  /** How it ended, or why it did not begin. */
  readonly code?: number | string | null;
  readonly signal?: string | null;
  readonly stderr?: string;
}

async function works(): Promise<boolean> {
  if (bwrap === undefined) return false;
  const [program = "", ...args] = [...commandLine([]), "git", "--version"];
  const options = { cwd: "/", env: { PATH: process.env["PATH"], LC_ALL: "C" }, signal: timeLimit(maxTryMs) };
  try {
    await run(program, args, { ...options, killSignal: "SIGKILL" });
    return true;
  } catch (error) {
    // A program may have taken what is missing, so that git reads for it what it may not read itself.
    if (isShortage(error as Failed)) throw new Error("git could not be contained", { cause: error });
    return false;
  }
}

/** Rather than something that bubblewrap lacks on this machine. The system kills where memory is short. */
function isShortage({ code, signal, stderr = "" }: Failed): boolean {
  const isTold = /Resource temporarily unavailable|Cannot allocate memory|Too many open files/.test(stderr);
  return isTold || signal === "SIGKILL" || ["EAGAIN", "EMFILE", "ENFILE", "ENOMEM", "ABORT_ERR"].includes(String(code));
}
