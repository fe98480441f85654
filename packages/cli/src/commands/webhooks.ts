import { Command } from "commander";
import type { Options } from "../connection/with-service.ts";
import { webhookCommands } from "../webhooks/commands.ts";
import type { WebhookCommand } from "../webhooks/context.ts";
import type { MakeCommand } from "./command.ts";
import { addOptions } from "./command-option.ts";
import { connectionOptions } from "./connection-options.ts";

export const webhooksCommand: MakeCommand = (terminal, end) => {
  const group = new Command("webhooks").description("Be told of events: register webhooks, try receivers.").addHelpText(
    "after",
    `
Exit codes: 0 done, 1 a delivery or a check failed, 2 the call is wrong, 3 refused by the service, 4 there is no such
webhook or delivery, 5 no connection, 130 interrupted.

Examples:
  slipway webhooks listen --forward-to http://127.0.0.1:3000/hook
  slipway webhooks verify http://127.0.0.1:3000/hook --secret -
  slipway webhooks create https://hooks.example.com/slipway --events project.deployed,project.failed
  slipway webhooks replay wh_… --since 2h --dry-run`,
  );
  for (const [name, described] of Object.entries(webhookCommands)) {
    const command = makeCommand(name, described);
    command.option("--json", "for machines").action(async (...args: unknown[]) => {
      const { runWebhookCommand } = await import("../webhooks/context.ts");
      const argument = described.argument === undefined ? "" : (args[0] as string);
      end(await runWebhookCommand(terminal, described, argument, command.opts<Options>()));
    });
    group.addCommand(command);
  }
  return group;
};

function makeCommand(name: string, { description, argument, options = [], on }: WebhookCommand): Command {
  const command = new Command(name).description(description);
  if (argument !== undefined) command.argument(`<${argument.name}>`, argument.description);
  addOptions(command, options);
  return on === "service" ? connectionOptions(command) : command;
}
