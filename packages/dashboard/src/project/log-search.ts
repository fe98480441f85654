import { useEffect, useRef, useState } from "preact/hooks";
import type { LogLine } from "./log-lines.ts";

/** Shorter than a frame: a long log is searched piece by piece, so that the page never stands still. */
const sliceMs = 8;
const stepLines = 500;

interface Search {
  text: string;
  readonly found: number[];
  searched: number;
}

/** The lines that contain a text, as their places in the log; undefined: no text, so all. Grows while it searches. */
export function useLogSearch(
  lines: readonly LogLine[],
  version: number,
  text: string,
): { readonly found: readonly number[] | undefined; readonly isSearching: boolean } {
  const wanted = text.toLowerCase();
  const search = useRef<Search & { lines: readonly LogLine[] }>({ text: "", found: [], searched: 0, lines });
  const [, redraw] = useState(0);
  if (search.current.text !== wanted || search.current.lines !== lines)
    search.current = { text: wanted, found: [], searched: 0, lines };
  useEffect(() => {
    if (wanted === "") return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const work = () => {
      const current = search.current;
      const untilMs = performance.now() + sliceMs;
      while (current.searched < lines.length && performance.now() < untilMs) searchStep(current, lines);
      redraw((count) => count + 1);
      if (current.searched < lines.length) timer = setTimeout(work);
    };
    timer = setTimeout(work);
    return () => clearTimeout(timer);
  }, [wanted, lines, version]);
  if (wanted === "") return { found: undefined, isSearching: false };
  return { found: search.current.found, isSearching: search.current.searched < lines.length };
}

function searchStep(search: Search, lines: readonly LogLine[]): void {
  const end = Math.min(lines.length, search.searched + stepLines);
  for (let index = search.searched; index < end; index++)
    if (lines[index]!.text.toLowerCase().includes(search.text)) search.found.push(index);
  search.searched = end;
}
