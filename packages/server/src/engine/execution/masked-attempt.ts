import { Masker } from "../../platform/secrets/index.ts";
import type { Attempt, RunError } from "../lifecycle/index.ts";

/** An attempt whose failures are masked: their messages quote names and links that an agent chose. */
export function maskedAttempt(attempt: Attempt, secrets: readonly string[]): Attempt {
  return {
    ...attempt,
    finish: async (outcome) => {
      if (outcome.is === "succeeded") return attempt.finish(outcome);
      const error = await maskedError(outcome.error, secrets);
      const { repair } = outcome;
      if (repair === undefined) return attempt.finish({ ...outcome, error });
      const description = await new Masker(secrets).maskInSlices(repair.description);
      return attempt.finish({ ...outcome, error, repair: { ...repair, description } });
    },
  };
}

/** The error with known secrets masked in its message. */
export async function maskedError<E extends Pick<RunError, "message">>(
  error: E,
  secrets: readonly string[],
): Promise<E> {
  return { ...error, message: await new Masker(secrets).maskInSlices(error.message) };
}

/** What tells one kind of error from another: only the system and our own code choose it. */
const kinds: ReadonlySet<PropertyKey> = new Set(["name", "code", "errno", "syscall", "severity"]);
const maxWordsLength = 20_000;
const maxDepth = 8;

/**
 * An error of ours, as the service's log and the project may show it: its words, and the paths, commands and further errors
 * that it bears, may hold a name that an agent chose. It stays the same error.
 */
export function hideSecrets(error: unknown, secrets: readonly string[]): unknown {
  const masker = new Masker(secrets);
  const seen = new Set<unknown>();
  const hide = (value: unknown, depth: number): unknown => {
    if (typeof value === "string") return masker.maskAndCut(value, maxWordsLength);
    if (value instanceof Error) return hideIn(value, depth);
    if (depth > maxDepth || typeof value === "function" || typeof value === "symbol") return undefined;
    if (Array.isArray(value)) return value.map((each) => hide(each, depth + 1));
    // Connections, requests and the like, which tell nothing of what happened.
    return typeof value === "object" && value !== null ? undefined : value;
  };
  const hideIn = (part: Error, depth: number): Error => {
    if (seen.has(part)) return part;
    seen.add(part);
    // Some have their message by a getter.
    for (const key of new Set<PropertyKey>([...Reflect.ownKeys(part), "message", "stack"])) {
      const value: unknown = kinds.has(key) ? undefined : Reflect.get(part, key);
      if (value === undefined) continue;
      const enumerable = Object.prototype.propertyIsEnumerable.call(part, key);
      const hidden = { value: hide(value, depth + 1), enumerable, configurable: true, writable: true };
      Reflect.defineProperty(part, key, hidden);
    }
    return part;
  };
  return error instanceof Error ? hideIn(error, 0) : new Error(masker.mask(String(error)));
}
