/** Does some work, and tells for how long at most it kept the process from anything else. */
export async function measureHolding<T>(work: () => Promise<T>) {
  const beganAtMs = performance.now();
  let lastMs = beganAtMs;
  let heldMs = 0;
  const look = () => {
    const nowMs = performance.now();
    heldMs = Math.max(heldMs, nowMs - lastMs);
    lastMs = nowMs;
  };
  const timer = setInterval(look, 5);
  try {
    const done = await work();
    look();
    return { done, heldMs, tookMs: performance.now() - beganAtMs };
  } finally {
    clearInterval(timer);
  }
}
