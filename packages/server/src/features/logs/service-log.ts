import type { ServiceLog } from "@slipway/contract";
import { levelName } from "../../platform/log/index.ts";

type Line = ServiceLog["lines"][number];

/** The last of these lines, as the API shows them; only those of one part of the service, if one is named. */
export function showServiceLog(
  lines: readonly string[],
  { service, tail }: { readonly service: string | undefined; readonly tail: number },
): ServiceLog {
  const shown: Line[] = [];
  for (let at = lines.length - 1; at >= 0 && shown.length < tail; at -= 1) {
    const line = read(lines[at]!);
    if (line !== undefined && (service === undefined || line.service === service)) shown.push(line);
  }
  return { lines: shown.reverse() };
}

function read(text: string): Line | undefined {
  try {
    const { time, level, service, msg, ...detail } = JSON.parse(text) as Record<string, unknown>;
    return {
      at: String(time),
      level: levelName(Number(level)),
      service: typeof service === "string" ? service : "slipway",
      text: typeof msg === "string" ? msg : "",
      detail,
    };
  } catch {
    return undefined;
  }
}
