import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { print, printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";

export async function listSessions(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const page = await client.call("listSessions", { query: queryOf(options, pageNames), signal });
  printPage(context, page, {
    plural: "sign-ins",
    command: ["sessions", "list"],
    headings: ["ID", "KIND", "DEVICE", "ADDRESS", "LAST USED"],
    rows: page.sessions.map((one) => [
      one.session_id + (one.is_current ? " (this one)" : ""),
      one.kind,
      printable(one.device ?? ""),
      one.address ?? "",
      one.last_used_at ?? "",
    ]),
  });
  return exitCode.ok;
}

export async function endSession(context: ServiceContext): Promise<ExitCode> {
  const { client, args, signal } = context;
  const [session_id = ""] = args;
  await client.call("endSession", { params: { session_id }, signal });
  print(context, { session_id, ended: true }, () => `${printable(session_id)} has ended`);
  return exitCode.ok;
}
