import { open } from "node:fs/promises";
import { waitingRead } from "./waiting-reads.ts";

const chunkBytes = 64 * 1024;
/** How the kernel begins the line of a watched file. */
const mark = "\ntfd:";

/**
 * How many files are watched for events by an open file of `epoll_create`, which counts itself too. Stops above `max`: there
 * may be millions. The kernel makes whoever reads wait for whoever changes them, so it is never done in our own thread.
 */
export async function countWatches(openFile: string, max: number): Promise<number> {
  const path = openFile.replace("/fd/", "/fdinfo/");
  return waitingRead(path, () => countIn(path, max)).catch(() => 1);
}

async function countIn(path: string, max: number): Promise<number> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return 1;
  try {
    const buffer = Buffer.alloc(chunkBytes);
    let found = 1;
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
    return 1;
  } finally {
    await file.close().catch(() => undefined);
  }
}
