import { type Command, textOf } from "../command.ts";

export const initCommand: Command = {
  name: "init",
  description: "Write a first document: small, valid, and built by the built-in agent as it is.",
  arguments: [{ name: "[type]", description: "the outcome type, such as api or web-app", flag: "--type <type>" }],
  options: [
    { flags: "--name <name>", description: "the application's name" },
    { flags: "--language <language>", description: "the language that the result is written in" },
    {
      flags: "-o, --output <file>",
      description: "the document to write (default: the name, with .yaml); '-' prints it",
    },
    { flags: "--force", description: "overwrite an existing file" },
  ],
  json: "print { file, outcome_type, language }",
  notes: `In a terminal it asks for what the command line does not say; elsewhere it takes an api named "My API" and the usual
language.`,
  exitCodes: { 1: "the file exists, or cannot be written" },
  examples: [
    "slipway init",
    "slipway init web-app --name 'Tool shed'",
    "slipway init cli --language python -o tools/area.yaml",
  ],
  run: async ({ terminal, args: [type], options }) =>
    (await import("./write-first-document.ts")).writeFirstDocument(terminal, {
      type,
      name: textOf(options, "name"),
      language: textOf(options, "language"),
      output: textOf(options, "output"),
      isForced: options["force"] === true,
      isJson: options.json === true,
    }),
};
