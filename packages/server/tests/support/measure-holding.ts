/**
 * Does some work, and tells for how long at most it kept this thread from anything else, and how long all threads worked.
 * Both are times of a core: on a busy machine a thread waits without being held up by anything of ours.
 */
export async function measureHolding<T>(work: () => Promise<T>) {
  const beganAt = process.cpuUsage();
  let last = process.threadCpuUsage();
  let heldMs = 0;
  const look = () => {
    heldMs = Math.max(heldMs, msOf(process.threadCpuUsage(last)));
    last = process.threadCpuUsage();
  };
  const timer = setInterval(look, 5);
  try {
    const done = await work();
    look();
    return { done, heldMs, tookMs: msOf(process.cpuUsage(beganAt)) };
  } finally {
    clearInterval(timer);
  }
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}
