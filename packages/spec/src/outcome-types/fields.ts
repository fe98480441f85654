import {
  alsoWritten,
  anything,
  boolean,
  either,
  integer,
  list,
  number,
  object,
  oneOf,
  string,
} from "../schema/shape.ts";

/** A path from the root, with `{id}` for ids. */
export const pathFromRoot = (description: string, example: string) =>
  string(description, {
    pattern: "^/[^\\s?#]*$",
    patternErrorMessage: "a path that starts with '/' and has no spaces, '?' or '#'",
    examples: [example],
  });

/** One word. */
export const word = (description: string, example: string) =>
  string(description, { minLength: 1, examples: [example] });

/** One word or several. */
export const words = (description: string, one: string, examples: readonly [string, ...string[]]) =>
  either(description, [string(one, { minLength: 1, examples: [examples[0]] }), list(one, word(one, examples[0]))], {
    examples: [examples],
  });

const typeWords = oneOf(
  "What values it takes.",
  {
    string: "A text of one line.",
    text: "A text of several lines.",
    password: "A text that is kept as a hash and never shown.",
    integer: "A whole number.",
    number: "A number.",
    boolean: "`true` or `false`.",
    date: "A day such as `2030-05-04`.",
    datetime: "A moment such as `2030-05-04T10:00:00Z`.",
    time: "A time of day such as `09:30`.",
    email: "An e-mail address.",
    url: "A web address.",
    enum: "One of `values`.",
    list: "A list of what `of` says.",
    object: "Any map.",
    any: "Any value.",
    reference: "The id of a record of `to`.",
  },
  { examples: ["string", "date"] },
);

export const fieldType = alsoWritten(typeWords, [
  ["int", "integer"],
  ["float", "number"],
  ["decimal", "number"],
  ["bool", "boolean"],
  ["array", "list"],
  ["timestamp", "datetime"],
  ["uri", "url"],
]);

/** What happens to records whose reference is deleted. */
export const onDelete = (description: string) =>
  oneOf(
    description,
    {
      restrict: "What is referred to cannot be deleted: 409.",
      cascade: "Whatever refers to it is deleted too.",
      set_null: "The reference becomes empty.",
    },
    { examples: ["restrict"] },
  );

const limit = (description: string, example: number) =>
  either(
    description,
    [
      number("A number.", { examples: [example] }),
      string("A day, a moment, `today` or `now`.", { minLength: 1, examples: ["today"] }),
    ],
    { examples: [example, "today"] },
  );

const plainField = {
  type: fieldType,
  values: list("What an `enum` may be, in their order.", anything("A value.", { examples: ["open"] }), {
    examples: [["open", "closed"]],
  }),
  min: limit("The lowest number, or the first day.", 1),
  max: limit("The highest number, or the last day.", 500),
  min_length: integer("The fewest characters of a text, or entries of a list.", { minimum: 0, examples: [8] }),
  max_length: integer("The most characters of a text, or entries of a list.", { minimum: 0, examples: [120] }),
  pattern: word("A regular expression that a text matches.", "^[A-Z]{2}-\\d+$"),
};

/** What any field can say. */
const fieldKeys = {
  ...plainField,
  label: word("What people call it; otherwise its name.", "Due back"),
  description: word("What it means, for the pages that describe the result.", "When it must be back."),
  required: boolean("It must be given and may not be empty.", { examples: [true] }),
  default: anything("The value where none is given; `today` and `now` are the day and moment of creation.", {
    examples: ["open"],
  }),
  of: either("What each entry of a `list` is.", [fieldType, object("An entry of a list.", plainField)], {
    examples: ["string"],
  }),
  was: word("The name that it had in an earlier version: stored values move to the new one.", "title"),
};

/** What a field of a result with a store for many people can say besides. */
export const storedFieldKeys = {
  ...fieldKeys,
  unique: boolean("No two records have the same value: 409.", { examples: [true] }),
  to: word("The resource that a `reference` leads to.", "room"),
  on_delete: onDelete("What happens when what a `reference` leads to is deleted; `restrict` unless said."),
};
