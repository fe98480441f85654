import { timeMessage } from "../platform/sandbox/index.ts";

/** Of a health check; other scripts have the time of an implementation. */
export const maxHealthCheckMs = 60_000;

/** Why a script of a deployment that took too long failed, wherever it ran. */
export function scriptTooLong(name: string): string {
  if (name === "health_check") return timeMessage("scripts.health_check", `${maxHealthCheckMs / 1000} seconds`);
  return `scripts.${name} took too long. Raise timeouts.implementation_minutes, or make it quicker.`;
}
