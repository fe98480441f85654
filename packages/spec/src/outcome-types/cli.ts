import { boolean, either, integer, list, map, number, object, oneOf, string } from "../schema/shape.ts";

const valueTypes = {
  string: "Any text.",
  integer: "A whole number.",
  number: "A number.",
  decimal: "A number that is kept to its `decimals`.",
  boolean: "True or false; as an option, a switch.",
  date: "A day, such as 2030-01-31.",
  datetime: "A point in time, such as 2030-01-31T09:00Z.",
  enum: "One of `values`.",
  path: "A file or folder.",
};

const plain = either("A text, number, true or false.", [string("A text."), number("A number."), boolean("A switch.")]);

const rules = {
  type: oneOf("What kind of value it is; text if absent.", valueTypes, { examples: ["decimal"] }),
  summary: string("What it is, for the help.", { examples: ["What it cost"] }),
  required: boolean("Whether it must be given. Arguments must unless this is false; others need not.", {
    examples: [true],
  }),
  min: number("The smallest number.", { examples: [0.01] }),
  max: number("The largest number.", { examples: [1000] }),
  decimals: integer("How many decimals a number has.", { minimum: 0, maximum: 9, examples: [2] }),
  min_length: integer("The fewest characters of a text.", { minimum: 0, examples: [3] }),
  max_length: integer("The most characters of a text.", { minimum: 1, examples: [40] }),
  values: list("The values that are allowed.", either("A value.", [string("A text."), number("A number.")]), {
    examples: [["low", "normal", "high"]],
  }),
  default: {
    ...plain,
    description: "The value if none is given; `today` for a date, `now` for a datetime.",
    examples: ["today"],
  },
};

const field = either("The type of a field, or its rules.", [
  oneOf("What kind of value it is.", valueTypes, { examples: ["integer"] }),
  object("A field.", rules),
]);

const parameter = either("The name of a field of the record, or of a text; or its rules.", [
  string("A name.", { minLength: 1, examples: ["category"] }),
  object(
    "An argument or option.",
    {
      name: string("Its name: how expressions and `prints` call it, and options after `--`.", {
        minLength: 1,
        examples: ["precision"],
      }),
      ...rules,
      values_of: string("The table whose names are the values that are allowed.", { examples: ["units"] }),
      short: string("One letter that stands for an option, after `-`.", { examples: ["p"] }),
      multiple: boolean("Whether the last argument takes all words that are left, as a list.", { examples: [true] }),
      stdin: oneOf(
        "What happens if the argument is absent or `-`: it comes from standard input.",
        { text: "All of the input is one value.", lines: "The command runs once for each line." },
        { examples: ["lines"] },
      ),
      where: string(
        "For an option of `list`, `sum` and `count`: which records it leaves, as an expression over their fields.",
        { examples: ["due < today() and not done"] },
      ),
    },
    ["name"],
  ),
]);

const command = object(
  "A command.",
  {
    name: string("The word that runs it.", { minLength: 1, examples: ["add"] }),
    summary: string("What it does, for the help.", { examples: ["Write down an expense"] }),
    example: string("A command line for the help.", { examples: ["tally add 12.50 food"] }),
    does: oneOf(
      "What it does. With `result` it computes, with `prints` alone it prints; else this must say it.",
      {
        create: "Keeps a record.",
        list: "Shows records, or the rows of a `table`.",
        get: "Shows one record by its number.",
        update: "Changes one record by its number.",
        delete: "Removes one record by its number.",
        sum: "Adds up a field.",
        count: "Counts records.",
        import: "Keeps the records of a CSV file.",
        compute: "Works out its `result`.",
        print: "Prints a text.",
        completion: "Prints a completion script for a shell.",
      },
      { examples: ["create"] },
    ),
    arguments: list("What stands after the command, in order.", parameter, { examples: [["amount", "category"]] }),
    options: list("What may be given by name. An option of `list` named like a field is a filter.", parameter, {
      examples: [["date", "note"]],
    }),
    result: either("What it works out: an expression, or several by name that may use those before them.", [
      string("An expression.", { examples: ["value * units[from] / units[to]"] }),
      map("Expressions by name.", string("An expression."), {
        examples: [{ net: "price * amount", gross: "net * 1.19" }],
      }),
    ]),
    decimals: either("How many decimals results show: a number, or an expression.", [
      integer("A number.", { minimum: 0, maximum: 20, examples: [2] }),
      string("An expression.", { examples: ["precision"] }),
    ]),
    for_each: object(
      "Works the result out once for each row of a table, and shows a table.",
      {
        name: string("How expressions call the row's name.", { minLength: 1, examples: ["to"] }),
        in: string("The table.", { minLength: 1, examples: ["units"] }),
        where: string("Which rows are left, as an expression.", {
          examples: ["units[to].kind == units[from].kind"],
        }),
      },
      ["name", "in"],
    ),
    errors: list(
      "When the command refuses to work.",
      object(
        "A refusal.",
        {
          when: string("An expression that is true if it refuses.", { examples: ["weight <= 0"] }),
          message: string("What it says, with `{name}` for values.", { examples: ["{from} is no length"] }),
          exit_code: oneOf(
            "How it ends.",
            { failed: "With the code for failures.", usage: "With the code for a wrong command line." },
            { examples: ["usage"] },
          ),
        },
        ["when", "message"],
      ),
    ),
    prints: string("What people see, with `{name}` for values.", { examples: ["Added {amount} to {category}"] }),
    format: oneOf(
      "The format of its output unless `--format` says another.",
      { text: "For people.", json: "JSON.", csv: "Comma-separated values.", table: "Aligned columns." },
      { examples: ["csv"] },
    ),
    columns: list("The columns of tables and CSV, in order.", string("A field, argument or result."), {
      examples: [["id", "date", "amount"]],
    }),
    table: string("The table whose rows `list` shows.", { examples: ["units"] }),
    where: string("Which records `list`, `sum` and `count` look at, as an expression over their fields.", {
      examples: ["not done"],
    }),
    sort: either("How records are sorted: a field, with `-` for the greatest first; or an option that chooses.", [
      string("A field.", { examples: ["-date"] }),
      object(
        "An option that chooses the field.",
        {
          option: string("The option.", { minLength: 1, examples: ["sort"] }),
          values: list("The fields to choose from; the first is the default.", string("A field, or `-` and a field."), {
            examples: [["due", "-priority"]],
          }),
        },
        ["option", "values"],
      ),
    ]),
    sums: string("The field that `sum` adds up.", { examples: ["amount"] }),
    group_by: object(
      "An option that makes `sum` add up for each value of a field.",
      {
        option: string("The option.", { minLength: 1, examples: ["by"] }),
        values: list("The fields to choose from.", string("A field."), { examples: [["category", "date"]] }),
      },
      ["option", "values"],
    ),
    sets: map("What `update` sets, by field.", plain, { examples: [{ done: true }] }),
  },
  ["name"],
);

/** What a document of this type may say beyond the keys of every document. */
export const cli = object("What a `cli` is made from.", {
  cli: object("The command-line program.", {
    binary: string("The program's name: it starts as `bin/<name>`. The document's id if absent.", {
      minLength: 1,
      examples: ["tally"],
    }),
    entry: list("Further files that start the program.", string("A path in the project."), {
      examples: [["src/main.js"]],
    }),
    version: string("What `--version` prints.", { examples: ["1.0.0"] }),
    description: string("What `--help` says; the document's description if absent.", {
      examples: ["Keeps track of small expenses."],
    }),
    exit_codes: object("The codes that the program ends with.", {
      ok: integer("All went well; 0 if absent.", { minimum: 0, maximum: 255, examples: [0] }),
      failed: integer("It could not be done; 1 if absent.", { minimum: 0, maximum: 255, examples: [1] }),
      usage: integer("The command line is wrong; 2 if absent.", { minimum: 0, maximum: 255, examples: [2] }),
      no_command: integer(
        "Nothing was given, and the help was shown. If absent, `default_command` runs; without it, as `usage`.",
        {
          minimum: 0,
          maximum: 255,
          examples: [0],
        },
      ),
    }),
    default_command: string(
      "The command that runs if none is named; with nothing at all only if `no_command` is absent.",
      { examples: ["convert"] },
    ),
    data_file: object("Where records are kept.", {
      default: string("The file if nothing else is said.", { minLength: 1, examples: ["./tally.json"] }),
      variable: string("The environment variable that names another.", { minLength: 1, examples: ["TALLY_FILE"] }),
      option: string("The option that names another.", { minLength: 1, examples: ["--file"] }),
    }),
    record: object(
      "What the program keeps; each record gets a number, `id`.",
      {
        name: string("What one is called.", { examples: ["expense"] }),
        fields: map("Its fields, by name.", field, {
          examples: [{ amount: { type: "decimal", decimals: 2, required: true }, note: "string" }],
        }),
      },
      ["fields"],
    ),
    tables: map(
      "Tables that expressions look things up in, by name; each has numbers, texts, or rows of them.",
      map("The rows of a table, by name.", {
        ...either("A number, a text, or a row.", [
          number("A number."),
          string("A text."),
          boolean("True or false."),
          map("A row: its columns by name, or a table within the table.", {
            ...either("A value.", [
              number("A number."),
              string("A text."),
              boolean("True or false."),
              map("A row.", plain),
            ]),
          }),
        ]),
      }),
      { examples: [{ units: { m: 1, km: 1000, mi: 1609.344 } }] },
    ),
    global_options: list("Options that every command takes; expressions may use them.", parameter, {
      examples: [[{ name: "precision", type: "integer", default: 2 }]],
    }),
    commands: list("The commands, in the order of the help.", command, {
      examples: [[{ name: "greet", arguments: ["name"], prints: "Hello, {name}!" }]],
    }),
  }),
});
