import { setTimeout as delay } from "node:timers/promises";
import type { CompleteSpec } from "@slipway/spec";
import { timeLimit } from "../platform/time-limit.ts";
import type { CanarySettings } from "./canary-settings.ts";
import type { PrepareResult, ReleasePlan, RoutedAddress, RouteShare, Supervision } from "./supervisor/index.ts";

export type Strategy = NonNullable<CompleteSpec["deployment"]>["strategy"];

export interface ReleaseToRun {
  readonly releaseId: string;
  readonly plan: ReleasePlan;
  readonly secrets: Readonly<Record<string, string>>;
}

export interface TakeOver {
  readonly supervision: Supervision;
  readonly deploymentId: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly next: ReleaseToRun;
  /** What is live now, if it runs. */
  readonly previous: ReleaseToRun | undefined;
  readonly strategy: Strategy;
  readonly canary: CanarySettings;
  /** How long the version before is kept running, so that going back takes no time. */
  readonly warmMs: number;
  readonly minuteMs: number;
  readonly signal: AbortSignal;
  /** What else must be true of a version that runs before it gets requests; the reason if it is not. */
  readonly whyUnhealthy: (origin: string) => Promise<string | undefined>;
  /** Resolves with the reason when the supervisor takes the canary back. */
  readonly canaryAborted: Promise<string>;
  /** Called with each step as it is done. */
  readonly onStep: (what: string) => void;
}

export type TakenOver = RoutedAddress | { readonly failure: string };

/** Brings a version live in the way that the document asks for. If that fails, the version before is as it was. */
export async function takeOver(change: TakeOver): Promise<TakenOver> {
  try {
    return await bringLive(change);
  } catch (error) {
    // Its address may be taken, for one. What has started would run on, and nobody would know of it.
    await abandon(change).catch(() => undefined);
    throw error;
  }
}

function bringLive(change: TakeOver): Promise<TakenOver> {
  const { previous, strategy } = change;
  if (previous === undefined) return blueGreen(change);
  switch (strategy) {
    case "recreate":
      return recreate(change, previous);
    case "rolling":
      return rolling(change, previous);
    case "canary":
      return canary(change, previous);
    default:
      return blueGreen(change);
  }
}

/** The new version runs beside the old one before all requests go to it at once. */
async function blueGreen(change: TakeOver): Promise<TakenOver> {
  const failure = await prepareNext(change, change.next.plan.replicas);
  if (failure !== undefined) return { failure };
  const live = await route(change, [{ releaseId: change.next.releaseId, weight: 1 }]);
  change.onStep("switched all requests");
  await keepWarm(change);
  return live;
}

/** The step after which nothing answers until the new version does. */
export const endedBefore = "ended the version before";

/** The old version ends before the new one starts: for what cannot run twice. */
async function recreate(change: TakeOver, previous: ReleaseToRun): Promise<TakenOver> {
  const { supervision, deploymentId, next, onStep } = change;
  await route(change, []);
  await supervision.retire({ deploymentId, releaseId: previous.releaseId, afterMs: 0 });
  onStep(endedBefore);
  try {
    const failure = await prepareNext(change, next.plan.replicas);
    if (failure === undefined) return await route(change, [{ releaseId: next.releaseId, weight: 1 }]);
    await bringBack(change, previous);
    return { failure };
  } catch (error) {
    await discard(change);
    await bringBack(change, previous).catch(() => undefined);
    throw error;
  }
}

/** Copies are replaced one by one. */
async function rolling(change: TakeOver, previous: ReleaseToRun): Promise<TakenOver> {
  const { supervision, deploymentId, next, onStep, signal } = change;
  const { replicas } = next.plan;
  const failure = await prepareNext(change, 1);
  if (failure !== undefined) return { failure };
  for (let replaced = 1; ; replaced += 1) {
    const left = Math.max(0, replicas - replaced);
    const shares = [
      { releaseId: next.releaseId, weight: replaced },
      { releaseId: previous.releaseId, weight: left },
    ];
    const live = await route(
      change,
      shares.filter(({ weight }) => weight > 0),
    );
    onStep(`replaced ${replaced} of ${replicas}`);
    // The last copy of the old version stays warm.
    await supervision.scale({ deploymentId, releaseId: previous.releaseId, replicas: Math.max(1, left) });
    if (left === 0) {
      await keepWarm(change);
      return live;
    }
    const wanted = { deploymentId, releaseId: next.releaseId, replicas: replaced + 1 };
    const more = await supervision.scale(wanted, signal);
    const reason = more.is === "failed" ? more.reason : await whyUnwell(change);
    if (reason !== undefined) {
      await supervision.scale({ deploymentId, releaseId: previous.releaseId, replicas }, signal);
      await takeBack(change, previous);
      return { failure: reason };
    }
  }
}

/** A part of the requests goes to the new version first; it is taken back when too many of them fail. */
async function canary(change: TakeOver, previous: ReleaseToRun): Promise<TakenOver> {
  const { next, onStep, minuteMs, signal, canaryAborted } = change;
  const { percent, minutes, ...limits } = change.canary;
  const failure = await prepareNext(change, next.plan.replicas);
  if (failure !== undefined) return { failure };
  const shares = [
    { releaseId: previous.releaseId, weight: 100 - percent },
    { releaseId: next.releaseId, weight: percent },
  ];
  await route(change, shares, { ...limits, releaseId: next.releaseId });
  onStep(`sent ${percent} % of the requests to it`);
  const isOver = new AbortController();
  try {
    const window = delay(minutes * minuteMs, undefined, { signal: AbortSignal.any([signal, isOver.signal]) });
    const aborted = await Promise.race([window.then(() => whyUnwell(change)), canaryAborted]);
    if (aborted !== undefined) {
      await takeBack(change, previous);
      return { failure: `The canary was taken back: ${aborted}` };
    }
  } catch (error) {
    await takeBack(change, previous);
    throw error;
  } finally {
    isOver.abort();
  }
  const live = await route(change, [{ releaseId: next.releaseId, weight: 1 }]);
  onStep("switched all requests");
  await keepWarm(change);
  return live;
}

/** Starts the new version; says why it cannot get requests. */
async function prepareNext(change: TakeOver, replicas: number): Promise<string | undefined> {
  const { supervision, deploymentId, next, signal, whyUnhealthy, onStep } = change;
  const plan = { ...next.plan, replicas };
  const result: PrepareResult = await supervision.prepare({ ...next, deploymentId, plan }, signal);
  if (result.is === "failed") return result.reason;
  onStep("started it");
  const reason = await whyUnhealthy(result.origins[0] ?? "").catch(async (error: unknown) => {
    await discard(change);
    throw error;
  });
  const failure = reason ?? (await whyUnwell(change));
  if (failure === undefined) return undefined;
  await discard(change);
  return failure;
}

/** Why the new version is not well any more, although it has started; undefined if it is. */
async function whyUnwell({ supervision, deploymentId, next }: TakeOver): Promise<string | undefined> {
  const seen = (await supervision.list()).find((one) => one.deploymentId === deploymentId);
  const programs = seen?.releases.find(({ releaseId }) => releaseId === next.releaseId)?.programs ?? [];
  return programs.find(({ reason }) => reason !== null)?.reason ?? undefined;
}

function route({ supervision, deploymentId, address }: TakeOver, shares: readonly RouteShare[], canary?: RouteCanary) {
  return supervision.route({ deploymentId, address, shares, ...(canary && { canary }) });
}

type RouteCanary = Parameters<Supervision["route"]>[0]["canary"];

function keepWarm({ supervision, deploymentId, previous, warmMs }: TakeOver): Promise<void> {
  if (previous === undefined) return Promise.resolve();
  return supervision.retire({ deploymentId, releaseId: previous.releaseId, afterMs: warmMs });
}

async function takeBack(change: TakeOver, { releaseId }: ReleaseToRun): Promise<void> {
  await route(change, [{ releaseId, weight: 1 }]);
  await discard(change);
}

async function abandon(change: TakeOver): Promise<void> {
  const { previous } = change;
  if (previous !== undefined)
    await route(change, [{ releaseId: previous.releaseId, weight: 1 }]).catch(() => undefined);
  await discard(change);
}

function discard({ supervision, deploymentId, next }: TakeOver): Promise<void> {
  return supervision.retire({ deploymentId, releaseId: next.releaseId, afterMs: 0 });
}

/** Who has given up waits no longer for the version before: if it takes its time, the next settling starts it again. */
const backMinutes = 1 / 6;

async function bringBack(change: TakeOver, previous: ReleaseToRun): Promise<void> {
  const { supervision, deploymentId, signal, minuteMs } = change;
  const limit = signal.aborted ? timeLimit(backMinutes * minuteMs) : signal;
  const result = await supervision.prepare({ ...previous, deploymentId }, limit);
  if (result.is === "ready") await route(change, [{ releaseId: previous.releaseId, weight: 1 }]);
}
