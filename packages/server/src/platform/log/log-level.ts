import type { CompleteSpec } from "@slipway/spec";

const levels = ["off", "error", "warn", "info", "verbose", "debug"] as const satisfies CompleteSpec["debug"]["level"][];

/** Whether a project's log holds what is of this level. */
export function isLogged({ level }: Pick<CompleteSpec["debug"], "level">, least: (typeof levels)[number]): boolean {
  return levels.indexOf(level) >= levels.indexOf(least);
}
