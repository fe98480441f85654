import { defaultPageSize } from "@slipway/contract";
import { Refusal } from "../errors/index.ts";

/** The requested part of a list: how many items, after which key. */
export interface PageRequest {
  readonly limit: number;
  readonly after: string | undefined;
}

/** Reads the paging parameters; `key` is the pattern of the list's keys, by which the cursor of another list is refused. */
export function pageRequest(
  { limit = defaultPageSize, cursor }: { limit?: number; cursor?: string },
  key: RegExp,
): PageRequest {
  return { limit, after: cursor === undefined ? undefined : readCursor(cursor, key) };
}

/** Makes a page from up to `limit + 1` items: the extra item only tells that there is a next page. */
export function pageOf<T>(
  items: readonly T[],
  { limit }: PageRequest,
  keyOf: (item: T) => string,
): { items: T[]; nextCursor: string | null } {
  const page = items.slice(0, limit);
  const last = page.at(-1);
  return { items: page, nextCursor: items.length > limit && last !== undefined ? writeCursor(keyOf(last)) : null };
}

/** Opaque, so that clients do not depend on its content. */
function writeCursor(key: string): string {
  return Buffer.from(`1:${key}`).toString("base64url");
}

function readCursor(cursor: string, key: RegExp): string {
  const text = /^[\w-]+$/.test(cursor) ? Buffer.from(cursor, "base64url").toString("utf8") : "";
  if (!/^1:[\w-]{1,100}$/.test(text) || !key.test(text.slice(2))) {
    throw new Refusal(
      "invalid_parameter",
      "The cursor is not one of this list. Use the next_cursor of the page before.",
    );
  }
  return text.slice(2);
}
