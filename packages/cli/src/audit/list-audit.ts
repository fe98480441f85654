import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";
import { printable } from "../output/printable.ts";
import { pointInTime } from "../output/read-time.ts";
import { toJsonLine } from "../output/to-json.ts";

export async function listAudit(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const query = { ...filterOf(context), ...queryOf(options, pageNames) };
  const page = await client.call("listAudit", { query, signal });
  printPage(context, page, {
    plural: "changes",
    command: ["audit", "list"],
    headings: ["AT", "BY", "ACTION", "TARGET", "FROM"],
    rows: page.entries.map(({ at, actor_name, action, target, address }) =>
      [at, actor_name, action, target, address].map((text) => printable(text)),
    ),
  });
  return exitCode.ok;
}

/** Prints as it reads: a log of any length needs no memory. */
export async function exportAudit(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, signal } = context;
  const query = { ...filterOf(context), limit: 100 };
  let cursor: string | null | undefined;
  do {
    const page = await client.call("listAudit", { query: { ...query, ...(cursor && { cursor }) }, signal });
    for (const entry of page.entries) terminal.out(toJsonLine(entry));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return exitCode.ok;
}

function filterOf({ options }: ServiceContext) {
  const now = new Date();
  return {
    ...queryOf(options, { actor: "actor", action: "action", target: "target" }),
    ...(options["since"] !== undefined && { since: pointInTime("--since", String(options["since"]), now) }),
    ...(options["until"] !== undefined && { until: pointInTime("--until", String(options["until"]), now) }),
  };
}
