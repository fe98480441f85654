import { levels, pino } from "pino";
import type { LogTail } from "./log-tail.ts";

/** Logs to standard error, one JSON object per line, with tokens and passwords masked. */
export function createLog(level: string | undefined, tail?: LogTail) {
  const byDefault = process.stderr.isTTY ? "warn" : "info";
  const destination = {
    write: (line: string) => {
      const masked = maskTokens(line);
      tail?.add(masked);
      process.stderr.write(masked);
    },
  };
  return pino(
    {
      level: level ?? byDefault,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: ["*.authorization", "*.password", "*.secret", "*.token", "*.api_key", "err.config", "err.parameters"],
    },
    destination,
  );
}

/** The name of a numeric level of pino. */
export function levelName(number: number): string {
  return levels.labels[number] ?? "info";
}

export type Log = ReturnType<typeof createLog>;

/** Masks tokens and passwords in database URLs, wherever they occur in a line. */
function maskTokens(line: string): string {
  return line
    .replace(/(spec_(?:sk|ut|rt)_[0-9a-z]{4})[0-9a-z_]+/g, "$1********")
    .replace(/(postgres(?:ql)?:\/\/[^:@/\s"]*):[^@/\s"]*@/g, "$1:********@");
}
