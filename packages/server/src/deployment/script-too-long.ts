import { timeMessage } from "../platform/sandbox/index.ts";

/** Of a health check; other scripts have the time of an implementation. */
export const maxHealthCheckMs = 60_000;

/** Why a script of a deployment that took too long failed, wherever it ran. */
export function scriptTooLong(name: string, limitMs: number): string {
  const setting = name === "health_check" ? undefined : "timeouts.implementation_minutes";
  return timeMessage(`scripts.${name}`, `${limitMs / 1000} seconds`, setting);
}
