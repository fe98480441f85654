import picocolors from "picocolors";
import { LiveLine } from "./live-line.ts";

/** Where a command reads and writes: results to `out`, messages to `err`. */
export interface Terminal {
  readonly input: AsyncIterable<Uint8Array>;
  readonly colors: ReturnType<typeof picocolors.createColors>;
  out(text: string): void;
  err(text: string): void;
  /** Shows a status line below all other output; undefined removes it. */
  live(text: string | undefined): void;
}

/** The terminal of this process. Colours depend on NO_COLOR, FORCE_COLOR and whether the output is a terminal. */
export function processTerminal(): Terminal {
  // The reader may stop early (`| head`): then exit without an error.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    throw error;
  });
  const live = new LiveLine(process.stderr);
  return {
    input: process.stdin,
    colors: picocolors.createColors(
      picocolors.isColorSupported && (process.stdout.isTTY || "FORCE_COLOR" in process.env),
    ),
    out: (text) => live.above(() => process.stdout.write(`${text}\n`)),
    err: (text) => live.above(() => process.stderr.write(`${text}\n`)),
    live: (text) => live.show(text),
  };
}
