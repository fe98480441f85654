import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";

export async function listSecrets(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const page = await client.call("listSecrets", { query: queryOf(options, pageNames), signal });
  printPage(context, page, {
    plural: "secrets",
    command: ["secrets", "list"],
    headings: ["NAME", "FOR", "SET"],
    rows: page.secrets.map(({ name, is_shared, updated_at }) => [
      printable(name),
      is_shared ? "everybody" : "you",
      updated_at,
    ]),
  });
  return exitCode.ok;
}
