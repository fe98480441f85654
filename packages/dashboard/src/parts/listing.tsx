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

/** A table that scrolls by itself where the screen is too narrow for it. */
export function Table({
  label,
  head,
  children,
}: {
  readonly label: string;
  readonly head: readonly string[];
  readonly children: ComponentChildren;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by the keyboard
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
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
