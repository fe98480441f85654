import { type ProcessLimits, threadsPerProcess } from "./process-options.ts";

/**
 * The shell script that sets the environment and then executes the program. The variables stand in this script, not in
 * bubblewrap's environment: a `LD_PRELOAD` would be loaded into programs that still have all rights.
 */
export function startScript({ folder, env, isGroupWriting }: StartOptions): string {
  const lines = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}\n`);
  // Other runs, each with its own uid, continue with the files it leaves in a shared folder.
  const mask = isGroupWriting ? "umask 002\n" : "";
  return `${lines.join("")}${mask}cd ${quote(folder)} || exit 126\nunset OLDPWD\nexec "$@"\n`;
}

interface StartOptions {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly isGroupWriting: boolean;
}

/** The argument vector; a string is run by a shell. */
export function argumentsOf(command: readonly string[] | string): readonly string[] {
  return typeof command === "string" ? ["/bin/sh", "-c", command] : command;
}

/** Throws for variables that a shell cannot export. */
export function checkEnvironment(env: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(env)) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))
      throw new Error(`'${name}' is not a valid name for an environment variable`);
    if (value.includes("\0")) throw new Error(`the environment variable '${name}' contains a zero byte`);
  }
}

/** Limits that the kernel enforces for single processes or users; the watch enforces those of the whole run. */
export function resourceLimits(limits: ProcessLimits, { hasOwnUid }: { hasOwnUid: boolean }): string[] {
  const asked = ["--core=0"];
  // None for memory: the kernel limits what is reserved, and Node.js reserves half a gigabyte for each worker thread.
  // The kernel counts threads by user. A shared uid would count other runs too.
  if (hasOwnUid) asked.push(`--nproc=${mostOfKernel(limits.processes)}`);
  return asked;
}

/**
 * To the kernel, threads are processes. This is how far a fork bomb gets between two looks of the watch: enough for the
 * threads of real programs, and few enough that the service has a turn among them.
 */
function mostOfKernel(processes: number): number {
  return Math.max(64, Math.min(threadsPerProcess * processes, Math.max(1_024, 4 * processes)));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
