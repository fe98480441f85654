import { Command } from "commander";
import type { RunOptions } from "../run/run-document.ts";
import type { MakeCommand } from "./command.ts";
import { connectionOptions } from "./connection-options.ts";
import { outcomeTypeOption } from "./outcome-type-option.ts";

export const runCommand: MakeCommand = (terminal, end) =>
  connectionOptions(
    new Command("run")
      .description("Bring a document to life: submit it, follow what happens to the end, and say where the result is.")
      .argument("<file>", "the document; '-' is standard input")
      .option("-e, --environment <name>", "run the document for this environment")
      .addOption(outcomeTypeOption())
      .option("--source <folder>", "put these files first: the run begins from them (see 'slipway source')")
      .option("--review-plan", "wait for a person to approve the plan before anything is made")
      .option("--strict", "exit with 1, too, where the result leaves out what the document asks for")
      .option("--exit-when-done", "stop a service that was started for this, with what it deployed, and exit")
      .option("--timeout <minutes>", "how long to wait for the end (default: 30)")
      .option("--json", "for machines: each event on a line of its own, then the project"),
  )
    .addHelpText(
      "after",
      `
Without --url or SLIPWAY_URL it is run by the service on the data folder, which is started if it does not run. That one
stays up until Ctrl-C, unless --exit-when-done is given.

Exit codes: 0 deployed, 1 failed or the document is not valid, 2 it cannot be read or the call is wrong, 3 refused by the
service, 5 no connection, 124 timed out, 130 interrupted.

Examples:
  slipway run app.yaml
  slipway run app.yaml --environment staging --exit-when-done --json`,
    )
    .action(async (file: string, options: RunOptions) => {
      const { runDocument } = await import("../run/run-document.ts");
      end(await runDocument(terminal, file, options));
    });
