import { limitMessage, timeMessage } from "../../platform/sandbox/index.ts";
import type { PublishDeps, PublishFailure, ReleaseToPublish } from "./release.ts";

interface ProgramToRun {
  /** What people call it: `npm pack`. */
  readonly name: string;
  readonly command: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxMs?: number;
}

/** Runs a program in the release's folder, without a network; undefined if it ended well. */
export async function runProgram(
  { sandbox }: PublishDeps,
  { folder, limits, limitMs, signal, onOutput }: ReleaseToPublish,
  { name, command, stdin = "", env = {}, maxMs = limitMs }: ProgramToRun,
): Promise<PublishFailure | undefined> {
  onOutput?.(`$ ${name}\n`);
  const toRun = { command, folder, stdin, env, ...(onOutput && { onOutput }) };
  const end = await sandbox.runCommand(toRun, { ...limits, limitMs: Math.min(limitMs, maxMs), signal });
  if (end.exitCode === 0) return undefined;
  signal.throwIfAborted();
  const setting = maxMs < limitMs ? undefined : "timeouts.implementation_minutes";
  const message = end.isTimedOut
    ? timeMessage(name, `${Math.min(limitMs, maxMs) / 1000} seconds`, setting)
    : (limitMessage(name, end.outcome) ?? `${name} ended with exit code ${end.exitCode}.`);
  return { failure: message, output: end.output };
}
