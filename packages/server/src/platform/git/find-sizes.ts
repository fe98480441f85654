import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { inTurns } from "../in-turns.ts";
import { spawnProgram } from "../process/index.ts";
import { findPaths, tooManyToFind } from "./find-paths.ts";

/** A file and the size that it has for its readers. */
export interface SizedPath {
  /** Names that are not UTF-8 have replacement characters. */
  readonly path: string;
  readonly size: number;
}

const limitMs = 60_000;

/**
 * The files below a folder with their sizes, as the program `find` tells them: in folders too deep for a path and under
 * names that are not UTF-8, too. They come while it works, because there may be millions.
 */
export async function* findSizes(tree: string): AsyncGenerator<SizedPath> {
  let isAnyFound = false;
  for await (const sized of tellSizes(tree)) {
    isAnyFound = true;
    yield sized;
  }
  if (!isAnyFound) yield* measureAll(tree);
}

async function* tellSizes(tree: string): AsyncGenerator<SizedPath> {
  const child = spawnProgram("find", [".", "-type", "f", "-printf", "%s %p\\0"], {
    cwd: tree,
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    stdio: ["ignore", "pipe", "ignore"],
    timeout: limitMs,
    killSignal: "SIGKILL",
  });
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
    child.kill("SIGKILL");
  }
}

/** Where the program cannot tell sizes, as on macOS. What cannot be measured counts as endless. */
async function* measureAll(tree: string): AsyncGenerator<SizedPath> {
  for await (const path of inTurns(await findPaths(tree, [".", "-type", "f"]))) {
    const found = await lstat(join(tree, path)).catch(() => undefined);
    yield { path, size: found?.size ?? Number.POSITIVE_INFINITY };
  }
}
