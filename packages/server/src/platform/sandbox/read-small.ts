import { closeSync, openSync, readSync } from "node:fs";

const buffer = Buffer.allocUnsafe(16 << 10);

function isScarcity({ code }: NodeJS.ErrnoException): boolean {
  return code === "EMFILE" || code === "ENFILE" || code === "ENOMEM";
}

/** Files in /proc report no size, and reading may fail at any point when the process ends. */
export function readSmall(path: string, maxBytes = buffer.length): string {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch (error) {
    // Nobody knows then whether the process is there, and it must not be taken for gone.
    if (isScarcity(error as NodeJS.ErrnoException)) throw error;
    return "";
  }
  try {
    let text = "";
    for (;;) {
      const length = readSync(file, buffer, 0, buffer.length, null);
      text += buffer.toString("latin1", 0, length);
      if (length < buffer.length || text.length >= maxBytes) return text;
    }
  } catch {
    return "";
  } finally {
    closeSync(file);
  }
}
