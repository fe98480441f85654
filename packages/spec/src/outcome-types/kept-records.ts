import { anything, boolean, either, integer, list, map, object, openObject } from "../schema/shape.ts";
import { resourceKeys } from "./data-model.ts";
import { fieldType, onDelete, storedFieldKeys, word } from "./fields.ts";

/** How a formula is written. */
const formulaWords =
  "Formulas are expressions: they calculate with `+`, `-`, `*`, `/`, `%`, compare with `==`, `!=`, `<`, `<=`, `>`, `>=` and `is empty`, and join with `and`, `or`, `not`. `today` is the day; a day plus a number is a day. `customer.name` is a field of what `customer_id` leads to; `sum`, `average`, `min`, `max`, `count` and `streak` go over the records that refer to this one: `sum(line.amount where paid)`. What is empty makes what is calculated from it unknown, and breaks no rule. docs/reference/expressions.md has all of it.";

/** A formula over the fields of a record. */
export function formula(description: string, example: string) {
  return word(`${description} ${formulaWords}`, example);
}

const { of: _, ...fieldKeys } = storedFieldKeys;

const field = either(
  "A field: its type, or more.",
  [
    fieldType,
    object("A field.", {
      ...fieldKeys,
      default: anything("The value of a new record. For a date also `today`, `tomorrow` or `{ days_ago: 3 }`.", {
        examples: ["today"],
      }),
      decimals: integer("How many digits a number shows after the point.", { minimum: 0, maximum: 10, examples: [2] }),
      hidden: boolean("Forms do not show it unless they name it.", { examples: [true] }),
    }),
  ],
  { examples: [{ type: "string", required: true, max_length: 120 }] },
);

const computed = either(
  "A formula, or more.",
  [
    formula("What it is.", "quantity * price"),
    object(
      "A value that follows from others.",
      {
        formula: formula("What it is.", "sum(line.amount)"),
        label: word("What people call it; otherwise its name.", "Total"),
        decimals: integer("How many digits after the point it is rounded to.", {
          minimum: 0,
          maximum: 10,
          examples: [2],
        }),
      },
      ["formula"],
    ),
  ],
  { examples: ["quantity * price"] },
);

const rule = either(
  "A rule: what must be true, or more.",
  [
    formula("What must be true.", "due >= issued"),
    object("A rule that every record keeps to.", {
      check: formula("What must be true.", "due >= issued"),
      when: formula("The rule counts only for records for which this is true.", "status != 'draft'"),
      unique: list("No two records have the same values in all these fields.", word("A field.", "day"), {
        examples: [["habit_id", "day"]],
      }),
      message: word(
        "What whoever breaks the rule is told, after the name of the field.",
        "must not be before the day of issue",
      ),
    }),
  ],
  { examples: ["due >= issued"] },
);

/** What an app on one device keeps of each kind of record. */
export const keptResourceKeys = {
  description: resourceKeys.description,
  was: resourceKeys.was,
  title_field: word("The field that people know a record by; the first one unless said.", "name"),
  fields: map("Its fields, by name. Every record also has an `id`.", field, {
    examples: [{ title: { type: "string", required: true }, due: "date" }],
  }),
  computed: map("What follows from the fields, by name; it is shown, and never entered.", computed, {
    examples: [{ amount: "quantity * price" }],
  }),
  rules: list("What must be true of its records.", rule, {
    examples: [["due >= issued", { unique: ["habit_id", "day"] }]],
  }),
  belongs_to: word(
    "The resource that each record belongs to. It gets a required field `<name>_id`, and is deleted with it unless `on_delete` says otherwise.",
    "invoice",
  ),
  on_delete: onDelete("What happens when what it belongs to is deleted; `cascade` unless said."),
  seed: list(
    "Records that are there from the first start, with the ids 1, 2, 3, … A reference is such an id, or the title of the record; a date may be `today` or `{ days_ago: 3 }`.",
    openObject("A record.", { examples: [{ name: "Oak", seats: 8 }] }),
    { examples: [[{ name: "Oak", seats: 8 }]] },
  ),
};
