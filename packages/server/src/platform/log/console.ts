import { format } from "node:util";
import { oneLine } from "../one-line.ts";

const maxLength = 500;

/**
 * Hands on what libraries print, in short and on one line: some print what a stranger sent, as it is, and that could
 * pass for entries of a log or take over a terminal.
 */
export function takeConsole(tell: (line: string) => void): void {
  const take = (...said: unknown[]) => tell(oneLine(format(...said.map(cut)), maxLength));
  for (const name of ["log", "info", "debug", "warn", "error"] as const) console[name] = take;
}

/** A text may be of megabytes. */
function cut(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, maxLength * 4);
  return value instanceof Error ? value.message.slice(0, maxLength * 4) : value;
}
