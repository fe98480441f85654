import { setImmediate as nextTurn } from "node:timers/promises";

const sliceMs = 5;

/** One after the other, with a turn for others every few milliseconds. */
export async function* inTurns<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let sliceFrom = performance.now();
  for (const item of items) {
    if (performance.now() - sliceFrom > sliceMs) {
      await nextTurn();
      sliceFrom = performance.now();
    }
    yield item;
  }
}
