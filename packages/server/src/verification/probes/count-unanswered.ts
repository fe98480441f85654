/** When a load began and ended. */
interface Span {
  readonly startedAt: number;
  readonly endedAtMs: number;
}

/** Times beyond this number say nothing new. */
const maxWaits = 1_000_000;

/**
 * How long requests waited that a program left without an answer: for half of the time, and for twice as long as any that it
 * answered. Each kept its connection from asking again, as often as others were answered meanwhile: these have waited, too.
 */
export function waitsOfUnanswered(
  askedAtMs: Iterable<number>,
  latenciesMs: readonly number[],
  { startedAt, endedAtMs }: Span,
): readonly number[] {
  const slowestMs = latenciesMs.reduce((slowest, ms) => Math.max(slowest, ms), 0);
  const usualMs = Math.max(0.1, averageOf(latenciesMs));
  const waits: number[] = [];
  for (const askedAt of askedAtMs) {
    const waitedMs = endedAtMs - askedAt;
    if (waitedMs < (endedAtMs - startedAt) / 2 || waitedMs < 2 * slowestMs) continue;
    waits.push(waitedMs);
    for (let ms = waitedMs - usualMs; ms > usualMs && waits.length < maxWaits; ms -= usualMs) waits.push(ms);
  }
  return waits;
}

export function averageOf(times: readonly number[]): number {
  return times.reduce((sum, ms) => sum + ms, 0) / Math.max(1, times.length);
}
