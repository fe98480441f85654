import { type Command, connectionOptions } from "../command.ts";
import { outcomeTypeOption } from "../validate/command.ts";
import type { PlanOptions } from "./plan-document.ts";

export const planCommand: Command = {
  name: "plan",
  description:
    "Show the phases and tasks of a document, who does them, and how long that took before. Creates nothing.",
  arguments: [{ name: "<file>", description: "the document; '-' reads standard input" }],
  options: [
    { flags: "-e, --environment <name>", description: "plan the document for this environment" },
    outcomeTypeOption,
    {
      flags: "--strict",
      description: "exit with 1 if something is in the way, or the built-in agent builds it and leaves something out",
    },
    { flags: "--verbose", description: "list the acceptance lines that each task contributes to" },
    ...connectionOptions,
  ],
  notes: `Needs no service. One that runs says how long it takes, by what earlier runs of the outcome type took with
the same agents.`,
  exitCodes: {
    1: "the document is not valid, or --strict found something",
    2: "wrong usage, or the document cannot be read",
  },
  examples: [
    "slipway plan app.yaml",
    "slipway plan app.yaml --environment production --json",
    "slipway plan app.yaml --strict",
  ],
  run: async ({ terminal, args: [file = ""], options }) =>
    (await import("./plan-document.ts")).planDocument(terminal, file, options as PlanOptions),
};
