import { type Command, connectionOptions, serviceExitCodes } from "../command.ts";
import { outcomeTypeOption } from "../validate/command.ts";
import type { RunOptions } from "./run-document.ts";

const annotateOption = {
  flags: "--annotate <format>",
  description: "at the end, tell the lines of the document that do not hold to a build service",
  choices: ["github"],
} as const;

export const runCommand: Command = {
  name: "run",
  description: "Run a document: submit it, follow the project to its end, and print where the result is.",
  arguments: [{ name: "<file>", description: "the document; '-' reads standard input" }],
  options: [
    { flags: "-e, --environment <name>", description: "run the document for this environment" },
    outcomeTypeOption,
    { flags: "--source <folder>", description: "upload these files first and start from them (see 'slipway source')" },
    { flags: "--team <team>", description: "share it with this team: a run of the team's application" },
    { flags: "--review-plan", description: "wait for a person to approve the plan before building" },
    {
      flags: "--strict",
      description: "exit with 1 if the result lacks something the document asks for, or a line was not checked",
    },
    {
      flags: "--exit-when-done",
      description: "at the end, stop the service this command started, and what ends with it",
    },
    annotateOption,
    { flags: "--timeout <minutes>", description: "how long to wait for the end (default: 30)" },
    ...connectionOptions,
  ],
  json: "print each event as a line of JSON, then the project",
  notes: `Without --url or SLIPWAY_URL, the service of the data folder runs the document. The command starts that service if
it is not running, and keeps it running until Ctrl-C unless you give --exit-when-done. What is deployed ends with that
service, unless a 'slipway serve' left software running there: then all of it goes on. The service reads the variables
and the config file that 'slipway serve' would read.`,
  exitCodes: {
    ...serviceExitCodes,
    0: "the result is deployed",
    1: "the project failed, or the document is not valid",
    2: "wrong usage, or the document cannot be read",
    124: "timed out",
  },
  examples: ["slipway run app.yaml", "slipway run app.yaml --environment staging --exit-when-done --json"],
  run: async ({ terminal, args: [file = ""], options }) =>
    (await import("./run-document.ts")).runDocument(terminal, file, options as RunOptions),
};
