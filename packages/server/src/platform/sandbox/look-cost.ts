/**
 * Begins to measure what a look at a run costs our thread. It is not the time that passes: the more cores a run takes from us,
 * the sooner it must be looked at again.
 */
export function measureCost(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1_000;
  };
}
