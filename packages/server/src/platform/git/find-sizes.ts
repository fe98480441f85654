import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { inTurns } from "../in-turns.ts";
import { spawnProgram, startingIn } from "../process/index.ts";
import { timeLimit } from "../time-limit.ts";
import { findLimitMs, findPaths, tooManyToFind } from "./find-paths.ts";

/** A file and the size that it has for its readers. */
export interface SizedPath {
  /** Names that are not UTF-8 have replacement characters. */
  readonly path: string;
  readonly size: number;
}

/**
 * The files below a folder with their sizes, as the program `find` tells them: in folders too deep for a path and under
 * names that are not UTF-8, too. They come while it works, because there may be millions.
 */
export async function* findSizes(tree: string, signal?: AbortSignal): AsyncGenerator<SizedPath> {
  let isAnyFound = false;
  for await (const sized of tellSizes(tree, signal)) {
    isAnyFound = true;
    yield sized;
  }
  if (!isAnyFound) yield* measureAll(tree, signal);
}

async function* tellSizes(tree: string, signal: AbortSignal | undefined): AsyncGenerator<SizedPath> {
  signal?.throwIfAborted();
  const [program, ...args] = [...startingIn(tree), "find", ".", "-type", "f", "-printf", "%s %p\\0"] as const;
  const child = spawnProgram(program, args, {
    cwd: "/",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  const limit = timeLimit(findLimitMs);
  // Nobody waits for a program that waits for a disk: it cannot be killed.
  const leave = () => void child.stdout.destroy(signal?.aborted ? (signal.reason as Error) : tooManyToFind());
  for (const one of [limit, ...(signal === undefined ? [] : [signal])])
    one.addEventListener("abort", leave, { once: true });
  const ended = new Promise<boolean>((resolve) => {
    child.once("error", () => resolve(false)).once("close", (_code, signal) => resolve(signal === null));
  });
  let rest = "";
  try {
    for await (const text of child.stdout.setEncoding("utf8") as AsyncIterable<string>) {
      const records = (rest + text).split("\0");
      rest = records.pop()!;
      for (const record of records) {
        const space = record.indexOf(" ");
        yield { path: record.slice(space + 3), size: Number(record.slice(0, space)) };
      }
    }
    if (!(await ended)) throw tooManyToFind();
  } finally {
    signal?.removeEventListener("abort", leave);
    limit.removeEventListener("abort", leave);
    child.kill("SIGKILL");
    child.unref();
  }
}

/** Where the program cannot tell sizes, as on macOS. What cannot be measured counts as endless. */
async function* measureAll(tree: string, signal: AbortSignal | undefined): AsyncGenerator<SizedPath> {
  for await (const path of inTurns(await findPaths(tree, [".", "-type", "f"], signal))) {
    const found = await lstat(join(tree, path)).catch(() => undefined);
    yield { path, size: found?.size ?? Number.POSITIVE_INFINITY };
  }
}
