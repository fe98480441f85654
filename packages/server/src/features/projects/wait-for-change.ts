import type { ProjectSignals } from "../../engine/events/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { OpenWaits, Principal } from "../../platform/http/index.ts";

const maxWaitSeconds = 60;

/** The seconds of `Prefer: wait=N`, at most a minute; undefined without it. */
export function preferredWait(header: string | string[] | undefined): number | undefined {
  const preference = [header].flat().join(",");
  const wait = /(?:^|[,;\s])wait\s*=\s*"?([^",;\s]+)"?/i.exec(preference)?.[1];
  if (wait === undefined) return undefined;
  if (!/^\d{1,6}$/.test(wait))
    throw new Refusal("invalid_parameter", "Prefer: wait= must be a whole number of seconds.");
  return Math.min(Number(wait), maxWaitSeconds);
}

interface Wait {
  readonly projectId: string;
  readonly principal: Principal;
  /** After this time the wait ends without a change. */
  readonly seconds: number;
  readonly gone: AbortSignal;
  readonly hasChanged: () => Promise<boolean>;
}

/** Resolves when the project has changed, the time is over, the client is gone or the service stops. */
export async function waitForChange(
  { signals, openWaits }: { signals: ProjectSignals; openWaits: OpenWaits },
  { projectId, principal, seconds, gone, hasChanged }: Wait,
): Promise<void> {
  using _ = openWaits.open(principal);
  const until = AbortSignal.any([AbortSignal.timeout(seconds * 1000), gone, openWaits.signal]);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const check = () => hasChanged().then((changed) => (changed ? resolve() : undefined), reject);
  const over = new AbortController();
  until.addEventListener("abort", () => resolve(), { once: true });
  signals.subscribe(projectId, check, over.signal);
  const timer = setInterval(check, signals.pollMs);
  try {
    // After subscribing, so that we miss no change.
    await check();
    if (until.aborted) resolve();
    await promise;
  } finally {
    clearInterval(timer);
    over.abort();
  }
}
