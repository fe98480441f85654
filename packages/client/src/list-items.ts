import type { AnyCallOptions, Arguments, Item, ListName } from "./call-types.ts";
import type { Caller } from "./caller.ts";
import { listAll } from "./list-all.ts";

type AnyPage = { readonly next_cursor: string | null } & Readonly<Record<string, unknown>>;

/** Yields every item of a list that an endpoint answers in pages. */
export function listItems<N extends ListName>(
  { call }: Pick<Caller, "call">,
  name: N,
  ...[options]: Arguments<N>
): AsyncGenerator<Item<N>, void, void> {
  const { query, ...rest }: AnyCallOptions = options ?? {};
  const readPage = call as unknown as (name: ListName, options: AnyCallOptions) => Promise<AnyPage>;
  return listAll(
    (page) => readPage(name, { ...rest, query: { ...page, ...query, ...(page.cursor && { cursor: page.cursor }) } }),
    // A page has one list, under the name of what it lists.
    (page) => Object.values(page).find((value) => Array.isArray(value)) as Item<N>[],
  );
}
