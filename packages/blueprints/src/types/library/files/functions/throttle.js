//@ <A extends unknown[]>(action: (...args: A) => void, waitMs: number): (...args: A) => void
export function throttle(action, waitMs) {
  let nextAt = Number.NEGATIVE_INFINITY;
  return (...args) => {
    const now = performance.now();
    if (now < nextAt) return;
    nextAt = now + waitMs;
    action(...args);
  };
}
//: await (async () => { const seen = []; const act = throttle((n) => seen.push(n), 60_000); act(1); act(2); return seen; })() => [1]
