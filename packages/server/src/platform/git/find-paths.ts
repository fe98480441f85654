import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startingIn } from "../process/index.ts";
import { timeLimit } from "../time-limit.ts";
import { WorkspaceError } from "./workspace-error.ts";
import { zeroEnded } from "./zero-ended.ts";

const run = promisify(execFile);

export const findLimitMs = 60_000;

/** The least exit code of a shell that could not start a program. */
const notStarted = 126;

interface Failed {
  readonly stdout?: Buffer;
  readonly killed?: boolean;
  readonly code?: string | number;
}

/** The paths below a folder that the program `find` finds by an expression that begins with `.`; it reads names as bytes. */
export async function findPaths(tree: string, expression: readonly string[], signal?: AbortSignal): Promise<string[]> {
  const limit = timeLimit(findLimitMs);
  // Ends the waiting, too: a program that waits for a disk cannot be killed.
  const over = signal === undefined ? limit : AbortSignal.any([signal, limit]);
  const options = { maxBuffer: 64 * 2 ** 20, signal: over, killSignal: "SIGKILL", encoding: "buffer" } as const;
  const env = { PATH: process.env["PATH"], LC_ALL: "C" };
  const [program, ...args] = [...startingIn(tree), "find", ...expression, "-print0"] as const;
  const found = await run(program, args, { cwd: "/", env, ...options }).catch((error: Failed) => {
    signal?.throwIfAborted();
    // What it did not come to might be what it was asked for. Of folders that it may not read, git tells later.
    if (error.killed === true || typeof error.code === "string" || Number(error.code) >= notStarted)
      throw tooManyToFind();
    return error;
  });
  const paths: string[] = [];
  for await (const path of zeroEnded(found.stdout ?? Buffer.alloc(0))) paths.push(path.slice(2));
  return paths;
}

export function tooManyToFind(): WorkspaceError {
  return new WorkspaceError("unacceptable_file", "The workspace has too many files to be looked through.");
}
