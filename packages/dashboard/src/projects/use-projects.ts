import type { ProjectChange } from "@slipway/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { client } from "../data/client.ts";
import { onChange } from "../data/live.ts";
import { applyChange, type Filter, type Listed } from "./project-list.ts";

interface Loaded extends Listed {
  readonly isLoaded: boolean;
  readonly error?: unknown;
}

type Change = Exclude<ProjectChange, { kind: "ready" }>;

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
    /** What changes while the list is read: it may be too late for the answer. */
    let missed: Change[] | undefined;
    const apply = (before: Loaded, change: Change): Loaded => ({
      ...before,
      projects: applyChange(before, change, filter),
    });
    const readAgain = async () => {
      const own: Change[] = [];
      missed = own;
      try {
        const page = await readPage(undefined, current.signal);
        // A later read knows more.
        if (missed !== own) return;
        const read: Loaded = { projects: page.projects, next: page.next_cursor, isLoaded: true };
        setLoaded(own.reduce(apply, read));
        missed = undefined;
      } catch (error) {
        if (!current.signal.aborted) setLoaded((before) => ({ ...before, isLoaded: true, error }));
      }
    };
    void readAgain();
    const stop = onChange((change) => {
      if (change.kind === "ready") void readAgain();
      else {
        missed?.push(change);
        setLoaded((before) => apply(before, change));
      }
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
