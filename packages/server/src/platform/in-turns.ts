import { setImmediate as nextTurn } from "node:timers/promises";

const sliceMs = 5;

/** Gives others a turn every few milliseconds: to be called, and waited for, between pieces of work. */
export function takeTurns(signal?: AbortSignal): () => Promise<void> | undefined {
  let sliceFrom = performance.now();
  return () => {
    if (performance.now() - sliceFrom < sliceMs) return undefined;
    return nextTurn(undefined, { signal }).then(() => {
      sliceFrom = performance.now();
    });
  };
}

/** One after the other, with a turn for others every few milliseconds. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  const turn = takeTurns();
  for (const item of items) {
    const others = turn();
    // Waiting for nothing would take as long as many a piece of work.
    if (others !== undefined) await others;
    yield item;
  }
}
