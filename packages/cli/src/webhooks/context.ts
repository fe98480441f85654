import type { CommandOption } from "../commands/command-option.ts";
import { type Options, type ServiceContext, withService } from "../connection/with-service.ts";
import type { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal.ts";

/** What a command that needs no service is given. */
export interface LocalContext {
  readonly terminal: Terminal;
  readonly options: Options;
  /** What it is about: an id, or an address; empty if it is about nothing in particular. */
  readonly argument: string;
}

/** What a command that speaks with the service is given. */
export type Context = ServiceContext & LocalContext;

interface Described {
  readonly description: string;
  readonly argument?: { readonly name: string; readonly description: string };
  readonly options?: readonly CommandOption[];
}

export type WebhookCommand = Described &
  (
    | {
        readonly on: "service";
        /** What a service that is started for it must do; nothing: answer, and leave the work alone. */
        readonly needsWorker?: true;
        run(context: Context): Promise<ExitCode>;
      }
    | { readonly on: "this machine"; run(context: LocalContext): Promise<ExitCode> }
  );

/** Carries out a command about webhooks. */
export function runWebhookCommand(
  terminal: Terminal,
  command: WebhookCommand,
  argument: string,
  options: Options,
): Promise<ExitCode> {
  if (command.on === "this machine") return command.run({ terminal, argument, options });
  return withService(terminal, options, (context) => command.run({ ...context, argument }), command);
}

/** Says who sends what was put on its way, where nobody does. */
export function tellWhoSends({ terminal, connection }: Context): void {
  if (connection.service === undefined) return;
  terminal.err(`No service runs on ${connection.dataFolder}. It is sent with: ${connection.commandLine("serve")}`);
}
