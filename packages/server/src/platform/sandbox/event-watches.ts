import { open } from "node:fs/promises";

const chunkBytes = 64 * 1024;
/** How the kernel begins the line of a watched file. */
const mark = "\ntfd:";

/**
 * How many files are watched for events by these `epoll` files, which count themselves too. Stops above `max`: a program
 * could have millions. The kernel makes whoever reads wait for whoever changes them, so it is never done in our own thread.
 */
export async function countWatches(polls: readonly string[], max: number): Promise<number> {
  let watches = polls.length;
  for (const path of polls) {
    if (watches > max) break;
    watches += await watchesOf(path.replace("/fd/", "/fdinfo/"), max - watches);
  }
  return watches;
}

async function watchesOf(path: string, max: number): Promise<number> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return 0;
  try {
    const buffer = Buffer.alloc(chunkBytes);
    let found = 0;
    let rest = "";
    while (found <= max) {
      const { bytesRead } = await file.read(buffer, 0, chunkBytes);
      if (bytesRead === 0) break;
      const text = rest + buffer.toString("latin1", 0, bytesRead);
      found += text.split(mark).length - 1;
      // A mark may lie across the end of a piece.
      rest = text.slice(-(mark.length - 1));
    }
    return found;
  } catch {
    // The process has ended meanwhile.
    return 0;
  } finally {
    await file.close().catch(() => undefined);
  }
}
