import { StringOrNull } from "./nullable.ts";
import { type Schema, type Static, Type } from "./schema.ts";

export const defaultPageSize = 25;
export const maxPageSize = 100;

/** The query parameters of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: maxPageSize,
      default: defaultPageSize,
      description: "The maximum number of items.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "The `next_cursor` of the previous page.",
      examples: ["MTpwcm9qXzAxa2F3M3Y5dDJoNW04cTF4N3pj"],
    }),
  ),
};

/** The response of every list. */
export function Page<Name extends string, Item extends Schema>(plural: Name, item: Item, description: string) {
  return Type.Object(
    {
      [plural]: Type.Array(item),
      next_cursor: StringOrNull("The cursor of the next page. Null on the last page."),
    } as { readonly [K in Name]: Schema<Static<Item>[]> } & { readonly next_cursor: Schema<string | null> },
    { description },
  );
}
