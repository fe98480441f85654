import { type Diagnostic, type ParsedSpec, parseSpec } from "@slipway/spec";
import { Command, Option } from "commander";
import { exitCode } from "../exit-code.ts";
import { formatForGithub } from "../validate/github.ts";
import { formatForPeople } from "../validate/human.ts";
import { formatAsJson } from "../validate/json.ts";
import { type DocumentSource, readDocuments } from "../validate/read-documents.ts";
import { formatAsSarif } from "../validate/sarif.ts";
import type { MakeCommand } from "./command.ts";

/** A document that was read, and what there is to say of it. */
export interface CheckedDocument extends ParsedSpec {
  readonly source: DocumentSource;
  readonly isValid: boolean;
}

export interface ValidateOptions {
  readonly environment?: string;
  readonly outcomeType?: readonly string[];
  readonly strict?: true;
  readonly explain?: true;
  readonly showDefaults?: true;
  readonly json?: true;
  readonly format?: "human" | "json" | "sarif" | "github";
}

export const validateCommand: MakeCommand = (terminal, end) =>
  new Command("validate")
    .description("Check specification documents: every problem at once, each with its place, reason and remedy.")
    .argument("<file...>", "documents to check; globs are fine, '-' is standard input")
    .option("-e, --environment <name>", "check the document as it holds for this environment")
    .option("--outcome-type <name...>", "outcome types that your plugins define")
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
      const { sources, problems } = await readDocuments(patterns, terminal.input);
      for (const problem of problems) terminal.err(`slipway: ${problem}`);
      const documents = sources.map((source) => check(source, options));
      if (documents.length > 0) terminal.out(format(documents, options, terminal));
      if (problems.length > 0) end(exitCode.usage);
      else if (!documents.every(({ isValid }) => isValid)) end(exitCode.failed);
    });

function check(source: DocumentSource, options: ValidateOptions): CheckedDocument {
  const parsed = parseSpec(source.bytes, {
    outcomeTypes: options.outcomeType ?? [],
    environment: options.environment,
  });
  const fails = ({ severity }: Diagnostic) => severity === "error" || (options.strict && severity === "warning");
  return { ...parsed, source, isValid: !parsed.diagnostics.some(fails) };
}

function format(
  documents: readonly CheckedDocument[],
  options: ValidateOptions,
  terminal: Parameters<MakeCommand>[0],
): string {
  switch (options.json ? "json" : (options.format ?? "human")) {
    case "human":
      return formatForPeople(documents, options, terminal.colors);
    case "json":
      return formatAsJson(documents, options);
    case "sarif":
      return formatAsSarif(documents);
    case "github":
      return formatForGithub(documents);
  }
}
