import { useEffect, useState } from "preact/hooks";

/** What is known of an answer: nothing yet, the answer, or why there is none. */
export interface Known<T> {
  readonly data?: T;
  readonly error?: unknown;
}

interface Entry {
  known: Known<unknown>;
  load: () => Promise<unknown>;
  isLoading: boolean;
  /** It was outdated while it loaded. */
  isOutdated: boolean;
  readonly readers: Set<() => void>;
}

const entries = new Map<string, Entry>();

/** Reads an answer and follows it: whatever outdates the key loads it again. Without a key it reads nothing. */
export function useQuery<T>(key: string | undefined, load: () => Promise<T>): Known<T> {
  const [, redraw] = useState(0);
  useEffect(() => {
    if (key === undefined) return undefined;
    const entry = entries.get(key) ?? newEntry(load);
    entries.set(key, entry);
    entry.load = load;
    const reader = () => redraw((count) => count + 1);
    entry.readers.add(reader);
    if (entry.known.data === undefined) void reload(entry);
    else reader();
    return () => {
      entry.readers.delete(reader);
      if (entry.readers.size === 0) entries.delete(key);
    };
  }, [key]);
  return (key === undefined ? {} : (entries.get(key)?.known ?? {})) as Known<T>;
}

/** Loads everything again whose key begins so. */
export function outdate(prefix: string): void {
  for (const [key, entry] of entries) if (key.startsWith(prefix)) void reload(entry);
}

function newEntry(load: () => Promise<unknown>): Entry {
  return { known: {}, load, isLoading: false, isOutdated: false, readers: new Set() };
}

/** One load at a time: what is outdated many times meanwhile is loaded once more. */
async function reload(entry: Entry): Promise<void> {
  entry.isOutdated = true;
  if (entry.isLoading) return;
  entry.isLoading = true;
  while (entry.isOutdated && entry.readers.size > 0) {
    entry.isOutdated = false;
    try {
      entry.known = { data: await entry.load() };
    } catch (error) {
      // What was read before still helps while the service is away.
      entry.known = { ...entry.known, error };
    }
    for (const read of [...entry.readers]) read();
  }
  entry.isLoading = false;
}
