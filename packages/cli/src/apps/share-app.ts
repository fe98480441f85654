import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode, UsageError } from "../exit-code.ts";
import { print } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { findApplication } from "./find-app.ts";

/** Shares an application with a team, or takes it back. */
export async function shareApp(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const team = textOf(options, "team") ?? null;
  if ((team === null) !== (options["nobody"] === true)) throw new UsageError("give --team <team> or --nobody");
  const params = { application_id: await findApplication(context) };
  const application = await client.call("shareApplication", { params, body: { team }, signal });
  const whom = team === null ? "nobody" : `the team ${printable(team)}`;
  print(context, application, () => `${printable(application.document_id)} is shared with ${whom}`);
  return exitCode.ok;
}
