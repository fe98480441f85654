import type { Command, Option } from "../command.ts";
import type { ValidateOptions } from "./checked-document.ts";

export const outcomeTypeOption: Option = {
  flags: "--outcome-type <name>",
  description: "an outcome type that your plugins define; repeatable",
  isRepeatable: true,
};

export const validateCommand: Command = {
  name: "validate",
  description: "Check specification documents and report every problem with its position, cause and fix.",
  arguments: [{ name: "<file...>", description: "documents or globs; '-' reads standard input" }],
  options: [
    { flags: "-e, --environment <name>", description: "check the document for this environment" },
    outcomeTypeOption,
    {
      flags: "--strict",
      description: "fail on warnings, too, and on what the built-in agent leaves out, where it builds",
    },
    { flags: "--explain", description: "summarize a valid document: phases, services, checks" },
    { flags: "--show-defaults", description: "list the default values that apply to the document" },
    {
      flags: "--format <format>",
      description: "the output format; sarif and github are for CI",
      choices: ["human", "json", "sarif", "github"],
    },
  ],
  json: "the same as --format json",
  exitCodes: {
    0: "every document is valid",
    1: "a document is not valid",
    2: "wrong usage, or a file cannot be read",
  },
  examples: [
    "slipway validate app.yaml",
    "slipway validate 'specs/**/*.yaml' --format github",
    "slipway validate app.yaml --environment production --show-defaults",
  ],
  run: async ({ terminal, args, options }) =>
    (await import("./validate-documents.ts")).validateDocuments(
      terminal,
      args.filter((pattern) => pattern !== undefined),
      options as ValidateOptions,
    ),
};
