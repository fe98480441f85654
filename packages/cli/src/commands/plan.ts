import { Command } from "commander";
import type { PlanOptions } from "../plan/plan-document.ts";
import type { MakeCommand } from "./command.ts";
import { outcomeTypeOption } from "./outcome-type-option.ts";

export const planCommand: MakeCommand = (terminal, end) =>
  new Command("plan")
    .description("Show what a document would make: phases, tasks, who does them, how long they take. Creates nothing.")
    .argument("<file>", "the document; '-' is standard input")
    .option("-e, --environment <name>", "plan the document as it holds for this environment")
    .addOption(outcomeTypeOption())
    .option("--verbose", "list the lines of acceptance that each task serves")
    .option("--json", "for machines")
    .addHelpText(
      "after",
      `
Exit codes: 0 this is the plan, 1 the document is not valid, 2 it cannot be read or the call is wrong.

Examples:
  slipway plan app.yaml
  slipway plan app.yaml --environment production --json`,
    )
    .action(async (file: string, options: PlanOptions) => {
      const { planDocument } = await import("../plan/plan-document.ts");
      end(await planDocument(terminal, file, options));
    });
