import type { CommandOption } from "../commands/command-option.ts";
import { type Options, type ServiceContext, withService } from "../connection/with-service.ts";
import { type ExitCode, UsageError } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** What a command about projects is given. */
export interface Context extends ServiceContext {
  /** The project that it is about. */
  readonly projectId: string;
}

export interface ProjectCommand {
  readonly description: string;
  /** Whether it is about one project. */
  readonly isAboutOne: boolean;
  readonly options?: readonly CommandOption[];
  /** What a service that is started for it must do; nothing: answer, and leave the work alone. */
  readonly needsWorker?: true;
  run(context: Context): Promise<ExitCode>;
}

/** Carries out a command about projects on the service that the options name. */
export async function runProjectCommand(
  terminal: Terminal,
  command: ProjectCommand,
  id: string | undefined,
  options: Options,
): Promise<ExitCode> {
  const projectId = projectIdOf(command, id, options["projectId"]);
  return withService(terminal, options, (context) => command.run({ ...context, projectId }), command);
}

function projectIdOf({ isAboutOne }: ProjectCommand, id: string | undefined, flag: string | true | undefined): string {
  const ids = [id, flag].filter((one) => typeof one === "string");
  if (ids.length > 1) throw new UsageError("the project is named twice: once is enough");
  if (isAboutOne && !ids[0]) throw new UsageError("which project? Give its id, as 'slipway projects list' shows it");
  return ids[0] ?? "";
}
