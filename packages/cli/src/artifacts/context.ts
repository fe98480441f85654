import type { CommandOption } from "../commands/command-option.ts";
import { type Options, type ServiceContext, withService } from "../connection/with-service.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** What a command about artifacts is given. */
export interface Context extends ServiceContext {
  /** What was named, in the order of its arguments; '' for what was left out. */
  readonly names: readonly string[];
}

export interface ArtifactCommand {
  readonly description: string;
  /** Its arguments, each with what it is. */
  readonly names: readonly (readonly [argument: string, about: string])[];
  readonly options?: readonly CommandOption[];
  run(context: Context): Promise<ExitCode>;
}

/** Carries out a command about artifacts on the service that the options name. */
export function runArtifactCommand(
  terminal: Terminal,
  command: ArtifactCommand,
  names: readonly (string | undefined)[],
  options: Options,
): Promise<ExitCode> {
  return withService(terminal, options, (context) =>
    command.run({ ...context, names: names.map((name) => name ?? "") }),
  );
}
