import { type ChildProcess, spawn } from "node:child_process";
import type { Socket } from "node:net";
import { cannotRun } from "./binaries.ts";
import type { DatabasePlace } from "./database-place.ts";

export interface Program {
  readonly child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Resolves when also all of its output has come, with its exit code (null after a signal). */
  readonly closed: Promise<number | null>;
  /** What it has written so far: the last few kilobytes. */
  output(): string;
}

/** Starts a program of Postgres as the database's user, in a session of its own and with an environment of its own. */
export function runProgram(program: string, args: readonly string[], { user, home }: DatabasePlace): Program {
  const child = spawn(program, args, {
    ...user,
    // A folder that is closed to the user would make Postgres stumble.
    cwd: home,
    // Nothing of ours: it holds secrets, and PGDATA or LC_ALL of the operator's shell would change what happens.
    env: { TZ: "UTC", LC_ALL: "C", HOME: home, PATH: "/usr/bin:/bin" },
    // Ctrl-C on the terminal must not reach it: the server drains first.
    detached: true,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let output = "";
  child.stderr!.setEncoding("utf8").on("data", (chunk: string) => {
    output = (output + chunk).slice(-8_000);
  });
  const ended = Promise.withResolvers<void>();
  const closed = Promise.withResolvers<number | null>();
  child.once("exit", () => ended.resolve());
  child.once("close", closed.resolve);
  child.once("error", (error) => {
    ended.resolve();
    closed.reject(cannotRun(program, error));
  });
  // Nobody waits for it while the program runs well.
  closed.promise.catch(() => undefined);
  return { child, ended: ended.promise, closed: closed.promise, output: () => output };
}

/** From now on the program alone is no reason for our process to stay. */
export function letRun({ child }: Program): void {
  child.unref();
  (child.stderr as Socket).unref();
}
