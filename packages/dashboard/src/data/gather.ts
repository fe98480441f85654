import { useEffect, useState } from "preact/hooks";

interface Gathered<T> {
  /** Always the same list, which grows: compare its length. */
  readonly items: readonly T[];
  /** Whether something came, or enough time for it has passed. */
  readonly isLoaded: boolean;
}

/** Keeps the newest, so that a stream that never ends does not fill the memory. */
const maxItems = 1_000_000;
const patienceMs = 1_000;

/** Gathers what a stream yields, and draws at most once a frame: a history may come as a million pieces. */
export function useGathered<T>(
  key: string,
  open: (signal: AbortSignal) => AsyncIterable<readonly T[]>,
): Gathered<T> & { readonly version: number } {
  const [state, setState] = useState<Gathered<T> & { readonly version: number }>(() => nothing());
  useEffect(() => {
    const watching = new AbortController();
    const items: T[] = [];
    let frame = 0;
    setState(nothing());
    const draw = () => {
      frame = 0;
      setState(({ version }) => ({ items, isLoaded: true, version: version + 1 }));
    };
    const follow = async () => {
      for await (const more of open(watching.signal)) {
        for (const item of more) items.push(item);
        if (items.length > maxItems) items.splice(0, items.length - maxItems);
        frame ||= requestAnimationFrame(draw);
      }
    };
    // It was left, or nobody is signed in any more.
    follow().catch(() => undefined);
    const settled = setTimeout(draw, patienceMs);
    return () => {
      clearTimeout(settled);
      cancelAnimationFrame(frame);
      watching.abort();
    };
  }, [key]);
  return state;
}

function nothing<T>(): Gathered<T> & { readonly version: number } {
  return { items: [], isLoaded: false, version: 0 };
}
