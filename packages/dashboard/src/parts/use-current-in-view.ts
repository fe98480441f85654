import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** Brings the link to the current page into view, in a row of links that is wider than the screen. */
export function useCurrentInView(current: string): RefObject<HTMLElement | null> {
  const row = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    const link = row.current?.querySelector<HTMLElement>("[aria-current]");
    if (row.current === null || link === null || link === undefined) return;
    const middle = link.offsetLeft - row.current.offsetLeft + link.offsetWidth / 2;
    row.current.scrollLeft = middle - row.current.clientWidth / 2;
  }, [current]);
  return row;
}
