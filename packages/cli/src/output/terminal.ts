import picocolors from "picocolors";
import { LiveLine } from "./live-line.ts";

/** Where a command reads and writes: data to `out`, talk to `err`. */
export interface Terminal {
  readonly input: AsyncIterable<Uint8Array>;
  readonly colors: ReturnType<typeof picocolors.createColors>;
  out(text: string): void;
  err(text: string): void;
  /** Says below everything else what is going on, where somebody is watching; nothing: no more. */
  live(text: string | undefined): void;
}

/** The terminal of this process. Colours follow NO_COLOR, FORCE_COLOR and whether someone is watching. */
export function processTerminal(): Terminal {
  // Whoever reads may stop reading (`| head`): that ends us, quietly.
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
