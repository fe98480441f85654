import type { ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { spawnProgram } from "../../process/index.ts";
import { cannotRun } from "./binaries.ts";
import type { DatabaseLocation } from "./database-location.ts";

export interface Program {
  readonly child: ChildProcess;
  /** Resolves when the process has ended. */
  readonly ended: Promise<void>;
  /** Resolves after all output has arrived, with the exit code (null after a signal). */
  readonly closed: Promise<number | null>;
  /** The last few kilobytes of its output so far. */
  output(): string;
}

/** Starts a program of Postgres as the database's user, with its own session and environment. */
export function runProgram(program: string, args: readonly string[], { user, home }: DatabaseLocation): Program {
  const child = spawnProgram(program, args, {
    ...user,
    // Postgres fails in a folder that its user may not enter.
    cwd: home,
    // Not ours: it contains secrets, and PGDATA or LC_ALL of the operator's shell would change the result.
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
  // Nobody awaits it while the program runs.
  closed.promise.catch(() => undefined);
  return { child, ended: ended.promise, closed: closed.promise, output: () => output };
}

/** Lets our process end although the program runs. */
export function letRun({ child }: Program): void {
  child.unref();
  (child.stderr as Socket).unref();
}
