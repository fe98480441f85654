import { Command } from "commander";
import type { MakeCommand } from "./command.ts";

export const schemaCommand: MakeCommand = ({ out }) =>
  new Command("schema")
    .description("Print the JSON Schema (2020-12) of the specification document, for editors and other tools.")
    .option("--json", "the same: a schema is JSON already")
    .addHelpText(
      "after",
      `
An editor with the YAML language server completes and explains every field when the document starts with
  # yaml-language-server: $schema=<path to the schema>`,
    )
    .action(async () => {
      const { specJsonSchema } = await import("@slipway/spec");
      out(JSON.stringify(specJsonSchema(), null, 2));
    });
