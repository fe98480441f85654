import { boolean, either, integer, list, map, object, oneOf, string, withDefault } from "../../src/schema/shape.ts";

const field = object(
  "One field of a record.",
  {
    type: withDefault(
      oneOf("What the field holds.", {
        string: "A short text.",
        enum: "One of `values`.",
        integer: "A whole number.",
      }),
      "string",
    ),
    values: list("The words of an enum.", string("A word.", { examples: ["open"] }), {
      examples: [["open", "closed"]],
    }),
    required: withDefault(boolean("Whether every record must have it.", { examples: [true] }), false),
  },
  ["type"],
);

const dataModel = map(
  "The records that it keeps, by name.",
  object("A kind of record.", { fields: map("Its fields, by name.", field, { propertyNames: { minLength: 1 } }) }),
  { examples: [{ issue: { fields: { title: { type: "string" } } } }] },
);

/** A vocabulary to try the machinery with, whatever the built-in types say. */
export const sampleTypes = {
  api: object("What an `api` is made from.", {
    data_model: dataModel,
    page_size: withDefault(integer("How many records a list shows.", { minimum: 1, examples: [50] }), 20),
  }),
  "web-app": object(
    "What a `web-app` is made from.",
    {
      data_model: dataModel,
      pages: list(
        "Its pages, in the order of the menu.",
        either("A page, or its path alone.", [
          string("The path.", { examples: ["/about"] }),
          object("A page.", { path: string("Where it is.", { examples: ["/"] }), form: field }, ["path"]),
        ]),
        { examples: [["/", "/about"]] },
      ),
    },
    ["pages"],
  ),
};
