import type { RouteShare } from "../supervisor/index.ts";

/** No cluster is filled for the sake of a small share: below 1 in 21 the share is 1 in 21. */
const maxCopies = 20;

/**
 * How many copies of two versions make their shares: a Service sends each copy as much as any other. The lesser version
 * never gets more than its share if that is possible, and no version has fewer copies than were wanted of the greater one.
 */
export function shareCopies(
  shares: readonly [RouteShare, RouteShare],
  wanted: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const [greater, lesser] = shares[0].weight >= shares[1].weight ? shares : [shares[1], shares[0]];
  const ratio = greater.weight / lesser.weight;
  const ofGreater = wanted.get(greater.releaseId) ?? 1;
  const ofLesser = Math.min(wanted.get(lesser.releaseId) ?? 1, Math.max(1, Math.floor(ofGreater / ratio)));
  return new Map([
    [greater.releaseId, Math.max(ofGreater, Math.min(maxCopies, Math.ceil(ofLesser * ratio)))],
    [lesser.releaseId, ofLesser],
  ]);
}
