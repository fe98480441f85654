import type { Command } from "commander";

/** An option of a command of a group. */
export interface CommandOption {
  readonly flags: string;
  readonly description: string;
  readonly isRequired?: true;
}

export function addOptions(command: Command, options: readonly CommandOption[]): Command {
  for (const { flags, description, isRequired } of options) {
    if (isRequired) command.requiredOption(flags, description);
    else command.option(flags, description);
  }
  return command;
}
