import { maxPageSize } from "./routes.ts";

interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** Yields every item of a list, reading the next page when it is needed. */
export async function* listAll<P extends { next_cursor: string | null }, I>(
  readPage: (query: PageQuery) => Promise<P>,
  itemsOf: (page: P) => readonly I[],
): AsyncGenerator<I, void, void> {
  let page = await readPage({ limit: maxPageSize });
  yield* itemsOf(page);
  // Not only null: what is left out would bring the first page again, without end.
  while (page.next_cursor) {
    page = await readPage({ limit: maxPageSize, cursor: page.next_cursor });
    yield* itemsOf(page);
  }
}
