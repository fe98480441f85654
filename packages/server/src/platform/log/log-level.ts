import type { CompleteSpec } from "@slipway/spec";

const levels = ["off", "error", "warn", "info", "verbose", "debug"] as const satisfies CompleteSpec["debug"]["level"][];

/** Whether a log of this level includes entries of at least `min`. */
export function isLogged({ level }: Pick<CompleteSpec["debug"], "level">, min: (typeof levels)[number]): boolean {
  return levels.indexOf(level) >= levels.indexOf(min);
}
