import { lastLine } from "../one-line.ts";
import { groupKiller, spawnProgram } from "../process/index.ts";

const maxTextChars = 64 * 1024;

/**
 * Runs a program of the system to its end and returns what it printed. At an abort it is killed, with what it has started, and
 * left: one that waits for a disk cannot be killed until that answers.
 */
export async function runUntil(over: AbortSignal, program: string, args: readonly string[]): Promise<string> {
  over.throwIfAborted();
  const child = spawnProgram(program, args, {
    cwd: "/",
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    // Its own process group, which is killed as a whole.
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = groupKiller(child);
  const [printed, complained] = [child.stdout, child.stderr].map((stream) => {
    let text = "";
    stream.setEncoding("utf8").on("data", (piece: string) => {
      if (text.length < maxTextChars) text += piece;
    });
    return () => text;
  });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  child.on("error", reject).on("close", (code) => {
    if (code === 0) resolve(printed!());
    else reject(new Error(`${program} failed (${code ?? "killed"}): ${lastLine(complained!())}`));
  });
  const leave = () => {
    kill();
    child.unref();
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    reject(over.reason);
  };
  over.addEventListener("abort", leave, { once: true });
  return promise.finally(() => over.removeEventListener("abort", leave));
}
