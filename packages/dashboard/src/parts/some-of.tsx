import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { startOf } from "./start-of.ts";

interface Props<T> {
  readonly items: readonly T[];
  /** How many are drawn at first, and more with each press of a button. */
  readonly step?: number;
  /** The place of one that must be among them. */
  readonly at?: number;
  /** Draws some of them; the place of the first counts from 0. */
  readonly children: (some: readonly T[], from: number) => ComponentChildren;
}

/** Some of many, more when they are asked for: a page with a hundred thousand elements answers nobody. */
export function SomeOf<T>({ items, step = 500, at = 0, children }: Props<T>) {
  const [more, setMore] = useState({ before: 0, after: 0 });
  const start = startOf(items.length, step, at);
  const from = Math.max(0, start - more.before);
  const to = Math.min(items.length, start + step + more.after);
  return (
    <>
      {from > 0 && (
        <button type="button" onClick={() => setMore({ ...more, before: more.before + step })}>
          Show more of the {from.toLocaleString()} before
        </button>
      )}
      {children(items.slice(from, to), from)}
      {to < items.length && (
        <button type="button" onClick={() => setMore({ ...more, after: more.after + step })}>
          Show more of the {(items.length - to).toLocaleString()} after
        </button>
      )}
    </>
  );
}
