import type { ProcessLimits } from "./process-options.ts";

/**
 * The script that takes over the environment and becomes the program. The variables come in a file and not in the
 * environment of what starts it: a `LD_PRELOAD` among them would be obeyed by programs that still have all rights.
 */
export function startScript({ folder, env, isGroupWriting }: ToTakeOver): string {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}\n`);
  // Others, each with a number of its own, go on with what it leaves in a shared folder.
  const mask = isGroupWriting ? "umask 002\n" : "";
  return `${lines.join("")}${mask}cd ${quote(folder)} || exit 126\nunset OLDPWD\nexec "$@"\n`;
}

interface ToTakeOver {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isGroupWriting: boolean;
}

/** The program's arguments; a line is given to a shell. */
export function argumentsOf(command: readonly string[] | string): readonly string[] {
  return typeof command === "string" ? ["/bin/sh", "-c", command] : command;
}

/** Refuses what a shell could not take over. */
export function checkEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw new Error(`'${name}' is no name for an environment variable`);
    if (value.includes("\0")) throw new Error(`the environment variable '${name}' contains a zero byte`);
  }
}

/** Limits that the kernel keeps, each for one process or one user: behind them stands the watch over the whole run. */
export function resourceLimits(limits: ProcessLimits, { hasOwnCount }: { hasOwnCount: boolean }): string[] {
  const { memoryBytes, processes } = limits;
  const asked = ["--core=0"];
  // Generous: many runtimes reserve far more than they use.
  if (memoryBytes !== undefined) asked.push(`--data=${memoryBytes * 2 + 4 * 2 ** 30}`);
  // The kernel counts threads, and a program of Node has eleven. Without a count of its own it would be everybody's.
  if (processes !== undefined && hasOwnCount) asked.push(`--nproc=${Math.max(64, processes * 16)}`);
  return asked;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
