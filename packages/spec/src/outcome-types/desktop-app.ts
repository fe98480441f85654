import { boolean, either, integer, list, map, object, oneOf, string } from "../schema/shape.ts";
import { resourceKeys } from "./data-model.ts";
import { pathFromRoot, word, words } from "./fields.ts";
import { keptResourceKeys } from "./kept-records.ts";

const resource = object("A kind of records.", {
  ...keptResourceKeys,
  path: pathFromRoot(
    "Where the app's own server has them; `/api/` and the plural of its name unless said.",
    "/api/notes",
  ),
  filters: resourceKeys.filters,
  search: list("Fields that searching looks into; all texts unless said.", word("A field.", "title"), {
    examples: [["title"]],
  }),
});

const size = (description: string, example: number) =>
  integer(description, { minimum: 100, maximum: 10_000, examples: [example] });

const window = object("A window: a list, and what is chosen in it.", {
  id: word("The name by which menus open it; the name of what it lists unless said.", "invoices"),
  title: word("What stands at its top.", "Invoices"),
  width: size("Its width in pixels when it opens; 1000 unless said.", 1100),
  height: size("Its height in pixels when it opens; 700 unless said.", 720),
  min_width: size("Below this width in pixels its content scrolls; 320 unless said.", 640),
  list: object("The list on the left.", {
    of: word("What it lists; the first resource unless said.", "invoice"),
    title: word("The field that stands first in a row; the `title_field` unless said.", "number"),
    detail: words("The fields below it.", "A field.", ["customer_id", "total"]),
    order_by: word(
      "The order: a field, with `-` in front for descending, or `newest`, which it is unless said.",
      "-due",
    ),
    search: boolean("Whether there is a box to search in; there is unless said.", { examples: [false] }),
    empty: word("What it says when there is nothing.", "No invoices yet."),
  }),
  detail: object("What is chosen, on the right.", {
    fields: list("The fields of its form, in their order; all unless said.", word("A field.", "number"), {
      examples: [["number", "due"]],
    }),
    lines: words("Resources whose records refer to this one: a table of them stands below the form.", "A resource.", [
      "line",
    ]),
  }),
});

const exportFormats = {
  csv: "A table for spreadsheets: a row for each record.",
  json: "A list of all records, with every value as it is.",
};

const formats = (description: string) => {
  const format = oneOf("A kind of file.", exportFormats, { examples: ["csv"] });
  return either(description, [format, list("Kinds of files.", format)], { examples: ["csv", ["csv", "json"]] });
};

const item = object(
  "An item of a menu.",
  {
    label: word("What stands in the menu.", "New invoice"),
    does: oneOf(
      "What it does.",
      {
        create: "Starts a new record of `of`.",
        delete: "Deletes the chosen record.",
        export: "Saves all records of `of` as a file, in the `format`.",
        import: "Reads records of `of` from a CSV or JSON file.",
        print: "Prints the chosen record.",
        focus_search: "Goes to the box to search in.",
        open_window: "Opens the `window` beside this one.",
        quit: "Ends the app.",
      },
      { examples: ["create"] },
    ),
    of: word("The resource that it is about; that of the window unless said.", "invoice"),
    format: oneOf(
      "How an export is written; `markdown` unless said.",
      { ...exportFormats, markdown: "A text for people." },
      { examples: ["csv"] },
    ),
    window: word("The `id` of the window that it opens.", "customers"),
    shortcut: string("The keys that do the same.", {
      pattern: "^(?:(?:[Cc]trl|[Aa]lt|[Ss]hift|[Cc]md)\\+)+[A-Za-z0-9]$|^F(?:[1-9]|1[0-2])$",
      patternErrorMessage: "keys such as 'Alt+N', 'Ctrl+Shift+E' or 'F2'",
      examples: ["Alt+N"],
    }),
    confirm: boolean("Whether a deletion asks first; it does unless said.", { examples: [false] }),
  },
  ["label", "does"],
);

const launcher = (description: string, example: string) =>
  string(description, {
    pattern: "^\\w[\\w.-]*$",
    patternErrorMessage: "a file name of letters, digits, '.', '_' and '-'",
    examples: [example],
  });

const packaging = object("How the app is packed: one folder, with a launcher for each system.", {
  version: string("Its version; `1.0.0` unless said.", {
    pattern: "^[\\w.+-]+$",
    patternErrorMessage: "a version such as 1.0.0",
    examples: ["1.0.0"],
  }),
  folder: string("The folder that it is packed into; `dist/` and its id unless said.", {
    pattern: "^[\\w-]+(?:/[\\w-][\\w.-]*)*$",
    patternErrorMessage: "a path inside the project, such as 'dist/marginalia'",
    examples: ["dist/marginalia"],
  }),
  launchers: object("The file that starts it on each system.", {
    linux: launcher("On Linux.", "marginalia"),
    macos: launcher("On macOS.", "marginalia.command"),
    windows: launcher("On Windows.", "marginalia.cmd"),
  }),
  options: list(
    "Other names of the options of its command line.",
    object(
      "An option.",
      {
        name: string("How it is written.", {
          pattern: "^--?[A-Za-z][\\w-]*$",
          patternErrorMessage: "an option such as --data",
          examples: ["--data"],
        }),
        does: oneOf(
          "What it does.",
          {
            version: "Prints the version.",
            help: "Prints what the options do.",
            data: "Keeps everything in the folder that follows.",
            no_window: "Serves without opening a window.",
          },
          { examples: ["data"] },
        ),
      },
      ["name", "does"],
    ),
    { examples: [[{ name: "--data", does: "data" }]] },
  ),
});

/** What a document of this type may say beyond the keys of every document. */
export const desktopApp = object("What a `desktop-app` is made from.", {
  data_model: map("What the app keeps: resources, by name.", resource, {
    examples: [{ note: { fields: { title: { type: "string", required: true } } } }],
  }),
  windows: list("Its windows, the first one first; one for each resource unless said.", window, {
    examples: [[{ id: "notes", title: "Notes", list: { of: "note" } }]],
  }),
  menus: list(
    "The menus of every window; one with the usual items unless said.",
    object(
      "A menu.",
      {
        label: word("What stands in the bar.", "File"),
        items: list("Its items.", item, { examples: [[{ label: "New note", does: "create", shortcut: "Alt+N" }]] }),
      },
      ["label", "items"],
    ),
    { examples: [[{ label: "File", items: [{ label: "Quit", does: "quit" }] }]] },
  ),
  export: formats("Files that all records can be saved as, from the menu of the app."),
  import: formats(
    "Files that records can be read from: rows with a known `id` replace the record, others are added; if a row is wrong, nothing is.",
  ),
  packaging,
});
