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

/** An error of ours, as the service's log and the project may show it: its words may be a name that an agent chose. */
export function hideSecrets(error: unknown, secrets: readonly string[]): unknown {
  const masker = new Masker(secrets);
  if (!(error instanceof Error)) return new Error(masker.mask(String(error)));
  const seen = new Set<unknown>();
  const open: unknown[] = [error];
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    if (!(part instanceof Error) || seen.has(part)) continue;
    seen.add(part);
    // The log has all that it bears: of a failed call its path, of a failed program what it printed.
    for (const key of new Set(["message", "stack", "cause", ...Object.keys(part)])) hideText(part, key, masker);
    open.push(part.cause, ...(part instanceof AggregateError ? part.errors : []));
  }
  return error;
}

/** Defined anew: the message of a `DOMException`, as a timeout is, cannot be set. */
function hideText(error: Error, key: string, masker: Masker): void {
  const text: unknown = Reflect.get(error, key);
  if (typeof text !== "string") return;
  const enumerable = Object.keys(error).includes(key);
  Object.defineProperty(error, key, { value: masker.mask(text), configurable: true, writable: true, enumerable });
}
