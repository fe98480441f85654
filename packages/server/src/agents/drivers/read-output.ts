import type { Readable } from "node:stream";
import type { EventQueue } from "./event-queue.ts";

/** Reads what a program prints, no faster than its events are taken. A broken stream counts as ended. */
export async function readOutput(
  stream: Readable,
  events: Pick<EventQueue, "whenRoom">,
  onChunk: (chunk: Buffer) => void,
): Promise<void> {
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onChunk(chunk);
      await events.whenRoom();
    }
  } catch {
    // The exit code tells how the program ended.
  }
}
