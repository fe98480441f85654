type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** Writes a line about each call: its address and status, never its content. */
export function loggedFetch(dial: Fetch, write: (line: string) => void): Fetch {
  return async (url, init) => {
    const startedAtMs = performance.now();
    const { origin, pathname } = new URL(url);
    // A remote agent names its own addresses, of any length.
    const what = `call ${init?.method ?? "GET"} ${origin}${pathname.slice(0, 1_000)}`;
    const tookMs = () => Math.round(performance.now() - startedAtMs);
    try {
      const answer = await dial(url, init);
      write(`${what} → ${answer.status} (${tookMs()} ms)\n`);
      return answer;
    } catch (error) {
      write(`${what} failed: ${(error as Error).message} (${tookMs()} ms)\n`);
      throw error;
    }
  };
}
