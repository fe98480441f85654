import { pino } from "pino";

/** Logs to standard error, a JSON object a line, with nothing in it that would open a door. */
export function createLog(level: string | undefined) {
  const byDefault = process.stderr.isTTY ? "warn" : "info";
  const destination = { write: (line: string) => void process.stderr.write(maskTokens(line)) };
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

export type Log = ReturnType<typeof createLog>;

/** Tokens, and passwords in addresses, wherever they stand in a line. */
function maskTokens(line: string): string {
  return line
    .replace(/(spec_(?:sk|ut|rt)_[0-9a-z]{4})[0-9a-z_]+/g, "$1********")
    .replace(/(postgres(?:ql)?:\/\/[^:@/\s"]*):[^@/\s"]*@/g, "$1:********@");
}
