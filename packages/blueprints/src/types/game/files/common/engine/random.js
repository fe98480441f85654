/**
 * The next number of the generator mulberry32 and the state after it. A pure function: who keeps the state can play the
 * same game again.
 *
 * @param {number} state
 * @returns {{ value: number, state: number }} the value is from 0 up to, not including, 1
 */
export function nextRandom(state) {
  const next = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296, state: next };
}

/** A copy of the list in an order that the state decides, and the state after it. */
export function shuffle(list, state) {
  const shuffled = [...list];
  let current = state;
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const { value, state: next } = nextRandom(current);
    current = next;
    const other = Math.floor(value * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other], shuffled[last]];
  }
  return { list: shuffled, state: current };
}
