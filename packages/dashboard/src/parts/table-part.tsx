import type { ComponentChildren } from "preact";
import type { useList } from "../data/use-list.ts";
import { Listing, Table } from "./listing.tsx";

interface Props {
  readonly title: string;
  /** Beside the title: how to add to the list. */
  readonly create: ComponentChildren;
  /** Above the list, such as what is shown once. */
  readonly notice?: ComponentChildren;
  readonly list: ReturnType<typeof useList>;
  /** What to say where there is nothing. */
  readonly empty: string;
  readonly head: readonly string[];
  /** The rows. */
  readonly children: ComponentChildren;
}

/** A part of a page that lists things in a table, and adds to them. */
export function TablePart({ title, create, notice, list, empty, head, children }: Props) {
  return (
    <section class="part">
      <div class="title">
        <h2>{title}</h2>
        <div class="buttons">{create}</div>
      </div>
      {notice}
      <Listing list={list} empty={<p>{empty}</p>}>
        <Table label={title} head={head}>
          {children}
        </Table>
      </Listing>
    </section>
  );
}
