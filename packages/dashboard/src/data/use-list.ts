import { useEffect, useState } from "preact/hooks";
import { useQuery } from "./query-cache.ts";

interface Part<T> {
  readonly items: readonly T[];
  readonly next: string | null;
}

interface List<T> {
  readonly items: readonly T[];
  readonly isLoaded: boolean;
  readonly error: unknown;
  /** Reads on; undefined where the list ends. */
  readonly loadMore: (() => Promise<void>) | undefined;
}

/** A list that is read page by page; its first page follows the key as every query does. */
export function useList<T>(key: string, read: (page: { cursor?: string }) => Promise<Part<T>>): List<T> {
  const { data: first, error } = useQuery(key, () => read({}));
  const [more, setMore] = useState<readonly Part<T>[]>([]);
  useEffect(() => setMore([]), [key]);
  const next = (more.at(-1) ?? first)?.next ?? null;
  const loadMore = async () => {
    const part = await read({ cursor: next! });
    setMore((before) => [...before, part]);
  };
  return {
    items: [first, ...more].flatMap((part) => part?.items ?? []),
    isLoaded: first !== undefined || error !== undefined,
    error: first === undefined ? error : undefined,
    loadMore: next === null ? undefined : loadMore,
  };
}
