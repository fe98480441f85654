import { Command, Option } from "commander";
import type { ValidateOptions } from "../validate/checked-document.ts";
import type { MakeCommand } from "./command.ts";
import { outcomeTypeOption } from "./outcome-type-option.ts";

export const validateCommand: MakeCommand = (terminal, end) =>
  new Command("validate")
    .description("Check specification documents: every problem at once, each with its place, reason and remedy.")
    .argument("<file...>", "documents to check; globs are fine, '-' is standard input")
    .option("-e, --environment <name>", "check the document as it holds for this environment")
    .addOption(outcomeTypeOption())
    .option("--strict", "warnings fail, too")
    .option("--explain", "tell what a valid document asks for: phases, services, checks")
    .option("--show-defaults", "list the values that the document leaves open, and what they are then")
    .addOption(
      new Option("--format <format>", "how to print it: sarif and github are for CI").choices([
        "human",
        "json",
        "sarif",
        "github",
      ]),
    )
    .option("--json", "the same as --format json")
    .addHelpText(
      "after",
      `
Exit codes: 0 all documents are valid, 1 some are not, 2 a file cannot be read or the call is wrong.

Examples:
  slipway validate app.yaml
  slipway validate 'specs/**/*.yaml' --format github
  slipway validate app.yaml --environment production --show-defaults`,
    )
    .action(async (patterns: string[], options: ValidateOptions) => {
      const { validateDocuments } = await import("../validate/validate-documents.ts");
      end(await validateDocuments(terminal, patterns, options));
    });
