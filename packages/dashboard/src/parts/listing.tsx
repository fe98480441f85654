import type { ComponentChildren } from "preact";
import { explain } from "../data/client.ts";
import type { useList } from "../data/use-list.ts";

interface Props {
  readonly list: ReturnType<typeof useList>;
  /** What to say, and how to begin, where there is nothing. */
  readonly empty: ComponentChildren;
  readonly children: ComponentChildren;
}

/** What is around every list that is read page by page: waiting, a refusal, nothing, and more. */
export function Listing({ list: { items, isLoaded, error, loadMore }, empty, children }: Props) {
  if (!isLoaded) return <p class="faint">Loading…</p>;
  if (error !== undefined) return <p class="error">{explain(error)}</p>;
  if (items.length === 0) return <div class="empty">{empty}</div>;
  return (
    <>
      {children}
      {loadMore !== undefined && (
        <button type="button" onClick={() => void loadMore()}>
          Show more
        </button>
      )}
    </>
  );
}

interface TableProps {
  readonly label: string;
  readonly head: readonly string[];
  /** The columns of numbers, which stand at the right. */
  readonly numbers?: readonly string[];
  readonly children: ComponentChildren;
}

/** A table. Where the screen is too narrow for it, each row is a block whose cells have their column's name beside them. */
export function Table({ label, head, numbers = [], children }: TableProps) {
  // For the style sheet, which the page's policy lets nobody write into.
  const names = Object.fromEntries(head.map((name, index) => [`--column-${index + 1}`, JSON.stringify(name)]));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table style={names}>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col" class={numbers.includes(name) ? "number" : ""}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
