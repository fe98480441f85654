import { PassThrough, type Readable } from "node:stream";
import { type GitOptions, type Repository, startGit } from "./run-git.ts";

interface StreamOptions extends Omit<GitOptions, "maxOutputBytes"> {
  /** How many chunks of its output, of up to 64 KB, may wait for the reader. */
  readonly maxWaitingChunks?: number;
}

/**
 * The output of git, as it comes. It ends after git has ended without failure, and fails as soon as git fails or is let go, such
 * as one that waits for a disk. A reader that leaves ends git.
 */
export function streamGit(
  repository: Repository,
  args: readonly string[],
  { maxWaitingChunks = 1, ...options }: StreamOptions = {},
): Readable {
  const { stdout, done, stop } = startGit(repository, args, options);
  const output = new PassThrough({
    // Chunks as they come: a byte stream would concatenate waiting ones, which takes twice the memory.
    readableObjectMode: true,
    readableHighWaterMark: maxWaitingChunks,
    flush: (end) => void done.then(() => end(), end),
  });
  // It may fail before anybody reads it, who is told then.
  output.on("error", () => undefined);
  done.catch((error: Error) => output.destroy(error));
  output.once("close", () => {
    stop(new Error("Nobody reads on."));
    // Else what waits in the pipe would keep it open.
    stdout.destroy();
  });
  return stdout.pipe(output);
}
