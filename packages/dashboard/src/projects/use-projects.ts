import type { Project } from "@slipway/contract";
import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { onChange } from "../data/live.ts";
import { applyChange, type Filter } from "./project-list.ts";

interface Loaded {
  readonly projects: readonly Project[];
  readonly next: string | null;
  readonly isLoaded: boolean;
  readonly error?: unknown;
}

const empty: Loaded = { projects: [], next: null, isLoaded: false };

/** The projects that a filter lets through, page by page, and live. */
export function useProjects(filter: Filter): Loaded & { readonly loadMore: () => void } {
  const [loaded, setLoaded] = useState(empty);
  const latest = useRef(loaded);
  latest.current = loaded;
  const isLoading = useRef(false);
  const { q, status } = filter;

  const readPage = (cursor: string | undefined, signal?: AbortSignal) =>
    client.call("listProjects", {
      query: { limit: 100, ...(q !== "" && { q }), ...(status !== "" && { status }), ...(cursor && { cursor }) },
      signal,
    });

  useEffect(() => {
    const current = new AbortController();
    const readAgain = async () => {
      try {
        const page = await readPage(undefined, current.signal);
        setLoaded({ projects: page.projects, next: page.next_cursor, isLoaded: true });
      } catch (error) {
        if (!current.signal.aborted) setLoaded((before) => ({ ...before, isLoaded: true, error }));
      }
    };
    void readAgain();
    const stop = onChange((change) => {
      if (change.kind === "ready") void readAgain();
      else setLoaded((before) => ({ ...before, projects: applyChange(before.projects, change, filter) }));
    });
    return () => {
      stop();
      current.abort();
    };
  }, [q, status]);

  const loadMore = async () => {
    const { next } = latest.current;
    if (next === null || isLoading.current) return;
    isLoading.current = true;
    try {
      const page = await readPage(next);
      setLoaded((before) => {
        // Another filter, or a fresh list, came meanwhile.
        if (before.next !== next) return before;
        return { ...before, projects: [...before.projects, ...page.projects], next: page.next_cursor };
      });
    } catch {
      // The next scroll tries again.
    } finally {
      isLoading.current = false;
    }
  };
  return { ...loaded, loadMore: () => void loadMore() };
}
