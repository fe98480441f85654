import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";

export async function listUsers(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const removed = options["removed"] === true && { removed: true };
  const page = await client.call("listUsers", { query: { ...queryOf(options, pageNames), ...removed }, signal });
  printPage(context, page, {
    plural: "users",
    command: ["users", "list"],
    headings: ["ID", "NAME", "ROLE", "CREATED"],
    rows: page.users.map(({ user_id, name, role, kind, created_at }) => [
      user_id,
      printable(name),
      kind === "service" ? `${role} (service account)` : role,
      created_at,
    ]),
  });
  return exitCode.ok;
}
