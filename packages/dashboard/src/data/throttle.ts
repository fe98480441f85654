/** Acts for a key at once, then at most once in a while: a busy project changes many times a second. */
export function throttled(act: (key: string) => void, intervalMs: number): (key: string) => void {
  const waiting = new Map<string, boolean>();
  const run = (key: string) => {
    waiting.set(key, false);
    act(key);
    setTimeout(() => {
      const isDue = waiting.get(key) === true;
      waiting.delete(key);
      if (isDue) run(key);
    }, intervalMs);
  };
  return (key) => {
    if (waiting.has(key)) waiting.set(key, true);
    else run(key);
  };
}
