import { defaultPageSize } from "@slipway/contract";
import { Refusal } from "../errors/index.ts";

/** Which part of a list is asked for: so many, after the last one seen. */
export interface PageRequest {
  readonly limit: number;
  readonly after: string | undefined;
}

/** `key` is what the keys of the list look like: a cursor of another list is refused. */
export function pageRequest(
  { limit = defaultPageSize, cursor }: { limit?: number; cursor?: string },
  key: RegExp,
): PageRequest {
  return { limit, after: cursor === undefined ? undefined : readCursor(cursor, key) };
}

/** The items to show and where to go on, of one item more than was asked for. */
export function pageOf<T>(
  items: readonly T[],
  { limit }: PageRequest,
  keyOf: (item: T) => string,
): { items: T[]; nextCursor: string | null } {
  const shown = items.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown, nextCursor: items.length > limit && last !== undefined ? writeCursor(keyOf(last)) : null };
}

/** Opaque, so that nobody builds on what is in it. */
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
