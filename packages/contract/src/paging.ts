import { type TSchema, Type } from "typebox";
import { StringOrNull } from "./nullable.ts";

export const defaultPageSize = 25;
export const largestPageSize = 100;

/** Query of every list. */
export const pageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: largestPageSize,
      default: defaultPageSize,
      description: "How many to answer at most.",
    }),
  ),
  cursor: Type.Optional(
    Type.String({
      maxLength: 500,
      description: "Where to go on: the `next_cursor` of the answer before.",
      examples: ["MTpwcm9qXzAxa2F3M3Y5dDJoNW04cTF4N3pj"],
    }),
  ),
};

/** Answer of every list, newest first. */
export function Page<Name extends string, Item extends TSchema>(plural: Name, item: Item, description: string) {
  return Type.Object(
    {
      [plural]: Type.Array(item),
      next_cursor: StringOrNull("For the next page; null after the last."),
    } as { [K in Name]: ReturnType<typeof Type.Array<Item>> } & { next_cursor: NextCursor },
    { description },
  );
}

type NextCursor = ReturnType<typeof Type.Union<[ReturnType<typeof Type.String>, ReturnType<typeof Type.Null>]>>;
