import { limitMessage, timeMessage } from "../../platform/sandbox/index.ts";
import { Masker } from "../../platform/secrets/index.ts";
import type { PublishDeps, PublishFailure, ReleaseToPublish } from "./release.ts";

interface ProgramToRun {
  /** What people call it: `npm pack`. */
  readonly name: string;
  readonly command: string;
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly maxMs?: number;
}

/** A program that did not end well. */
interface ProgramFailure extends PublishFailure {
  /** Null when it did not end by itself. */
  readonly exitCode: number | null;
  /** The limit that it broke, if it did. */
  readonly limit?: "time" | "use";
}

/** Runs a program in the release's folder, without a network; undefined if it ended well. */
export async function runProgram(
  { sandbox }: PublishDeps,
  { folder, limits, limitMs, signal, secrets = {}, onOutput }: ReleaseToPublish,
  { name, command, stdin = "", env = {}, maxMs = limitMs }: ProgramToRun,
): Promise<ProgramFailure | undefined> {
  onOutput?.(`$ ${name}\n`);
  // It gets none of them, but what a build has left may hold some.
  const masker = new Masker(Object.values(secrets));
  const toRun = { command, folder, stdin, env, masker, ...(onOutput && { onOutput }) };
  const end = await sandbox.runCommand(toRun, { ...limits, limitMs: Math.min(limitMs, maxMs), signal });
  if (end.exitCode === 0) return undefined;
  signal.throwIfAborted();
  const setting = maxMs < limitMs ? undefined : "timeouts.implementation_minutes";
  const { exitCode, output } = end;
  if (end.isTimedOut) {
    const failure = timeMessage(name, `${Math.min(limitMs, maxMs) / 1000} seconds`, setting);
    return { failure, output, exitCode, limit: "time" };
  }
  const failure = limitMessage(name, end.outcome);
  if (failure !== undefined) return { failure, output, exitCode, limit: "use" };
  return { failure: `${name} ended with exit code ${exitCode}.`, output, exitCode };
}
