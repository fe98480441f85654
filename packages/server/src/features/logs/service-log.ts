import type { ServiceLog } from "@slipway/contract";
import { levelName } from "../../platform/log/index.ts";
import { unknownName } from "./unknown-name.ts";

type Line = ServiceLog["lines"][number];

/** The parts of the service that write to its log. */
const usualParts = ["slipway", "engine", "http", "webhooks", "integrations"];

/** The last lines of the service log, of one part of the service if it is named. */
export function showServiceLog(
  lines: readonly string[],
  { service, tail }: { readonly service: string | undefined; readonly tail: number },
): ServiceLog {
  const found: Line[] = [];
  const parts = new Set(usualParts);
  for (let at = lines.length - 1; at >= 0 && found.length < tail; at -= 1) {
    const line = read(lines[at]!);
    if (line === undefined) continue;
    parts.add(line.service);
    if (service === undefined || line.service === service) found.push(line);
  }
  if (service !== undefined && !parts.has(service)) throw unknownName(service, [...parts]);
  return { lines: found.reverse() };
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
