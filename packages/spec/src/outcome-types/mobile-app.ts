import { alsoWritten, either, integer, list, map, object, oneOf, openObject, string } from "../schema/shape.ts";
import { pathFromRoot, word, words } from "./fields.ts";
import { formula, keptResourceKeys } from "./kept-records.ts";

const resource = object("A kind of records, kept on the device.", keptResourceKeys);

const colour = (description: string, example: string) =>
  string(description, {
    pattern: "^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$",
    patternErrorMessage: 'a colour in quotes, such as "#3c7a4e"',
    examples: [example],
  });

const values = (description: string, example: object) => openObject(description, { examples: [example] });

const action = (description: string) =>
  object(description, {
    label: word("What its button says.", "Watered"),
    sets: values("The fields of the record that it sets; a date may be `today`, `tomorrow` or `{ days_ago: 3 }`.", {
      last_watered: "today",
    }),
    adds: map(
      "Records that it adds and that refer to this one: their resource, and their values.",
      values("Values.", { day: "today" }),
      {
        examples: [{ checkin: { day: "today" } }],
      },
    ),
    opens: word("The `id` of the form that it opens; a tap alone does this.", "plant"),
  });

const screen = object("A screen: a list, a form, or a summary.", {
  id: word("The name by which navigation and taps lead to it.", "today"),
  path: pathFromRoot("Its path; `/` for the first, and `/` with its id for the others unless said.", "/plants"),
  title: word("What stands at its top; the name of what it shows unless said.", "Thirsty today"),
  kind: oneOf(
    "What it is; a list unless said.",
    {
      list: "Rows of records.",
      form: "The fields of one record, to enter or change it.",
      summary: "A few `figures` over all records.",
    },
    { examples: ["list"] },
  ),
  of: word("What it shows; the first resource unless said.", "plant"),
  where: either(
    "Which records a list has; all unless said.",
    [
      formula("What is true of them.", "next_due <= today"),
      values("Values that their fields have.", { thirsty: true }),
    ],
    { examples: ["next_due <= today", { thirsty: true }] },
  ),
  order_by: word("The order of a list: a field, with `-` in front for descending.", "next_due"),
  row: object("What a row of a list shows.", {
    title: word("The field that stands first; the `title_field` unless said.", "name"),
    detail: words("The fields below it.", "A field.", ["place", "next_due"]),
  }),
  tap: action("What a row offers first."),
  swipe_left: action("What a row offers for a swipe to the left, and as a button."),
  swipe_right: action("What a row offers for a swipe to the right, and as a button."),
  empty: word("What a list says when it has nothing to show.", "Everyone has had a drink."),
  fields: list(
    "The fields of a form, in their order; all that are not `hidden` unless said.",
    word("A field.", "name"),
    {
      examples: [["name", "place"]],
    },
  ),
  figures: map(
    "What a summary shows: by their names, formulas over all records of a resource.",
    formula("The figure.", "max(habit.streak)"),
    { examples: [{ "Best streak": "max(habit.streak)", "Done today": "count(checkin where day == today)" }] },
  ),
  actions: list(
    "The buttons of a form; both unless said.",
    oneOf("A button.", { save: "Keeps what was entered.", delete: "Deletes the record." }, { examples: ["save"] }),
    { examples: [["save", "delete"]] },
  ),
});

const darkMode = alsoWritten(
  oneOf(
    "When colours are dark; `never` unless said, and then the background decides.",
    { always: "On every device.", auto: "Where the device is set to dark.", never: "Nowhere." },
    { examples: ["auto"] },
  ),
  [
    [true, "auto"],
    [false, "never"],
    ["dark", "always"],
    ["light", "never"],
  ],
);

/** What a document of this type may say beyond the keys of every document. */
export const mobileApp = object("What a `mobile-app` is made from.", {
  data_model: map("What the app keeps on the device: resources, by name.", resource, {
    examples: [{ plant: { fields: { name: { type: "string", required: true } } } }],
  }),
  screens: list("Its screens; a list and a form for each resource unless said.", screen, {
    examples: [[{ id: "plants", kind: "list", of: "plant" }]],
  }),
  navigation: object("How people get from screen to screen: by tabs at the bottom.", {
    tabs: list("The screens that have a tab, by `id`; all but forms unless said.", word("A screen.", "today"), {
      examples: [["today", "plants"]],
    }),
    add_button: word(
      "The form that the button `+` opens where a screen has no form of its own, by `id`; the first one unless said.",
      "plant",
    ),
  }),
  install: object("How the app looks on a home screen.", {
    short_name: word("The name under its icon; its name unless said.", "Sprout"),
    display: oneOf(
      "How much of the browser is left.",
      { standalone: "Nothing but the system's own bar.", fullscreen: "Nothing.", "minimal-ui": "A few buttons." },
      { examples: ["standalone"] },
    ),
    orientation: oneOf(
      "How the device is held.",
      { any: "As one likes.", portrait: "Upright.", landscape: "Across." },
      { examples: ["portrait"] },
    ),
    theme_color: colour("The colour of the header and of buttons.", "#3c7a4e"),
    background_color: colour("The colour behind everything.", "#f6f8f2"),
    icon: object("Its icon: a letter on a shape.", {
      letter: word("The letter; the first of its name unless said.", "S"),
      shape: oneOf(
        "The shape behind the letter.",
        { square: "A square with round corners.", circle: "A circle.", leaf: "A leaf." },
        { examples: ["leaf"] },
      ),
      sizes: list(
        "Widths of PNG files in pixels, besides 192 and 512.",
        integer("A width.", { minimum: 16, maximum: 2048, examples: [192] }),
        { examples: [[192, 512]] },
      ),
    }),
  }),
  theme: either(
    "Dark or light.",
    [
      darkMode,
      object("Dark or light.", {
        dark_mode: darkMode,
        target_px: integer("The smallest height in pixels of what can be touched; 48 unless said.", {
          minimum: 44,
          maximum: 200,
          examples: [56],
        }),
      }),
    ],
    { examples: ["dark", { dark_mode: "auto" }] },
  ),
});
