import type { CallOptions } from "@slipway/client";
import { type ServiceContext, textOf } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";

type Query = NonNullable<CallOptions<"listProjects">["query"]>;

export async function listProjects(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const query = {
    status: textOf(options, "status"),
    outcome_type: textOf(options, "outcomeType"),
    id: textOf(options, "id"),
    q: textOf(options, "search"),
    limit: textOf(options, "limit"),
    cursor: textOf(options, "cursor"),
  };
  // Unchecked: the service knows which values are valid, and refuses the others.
  const page = await client.call("listProjects", { query: query as unknown as Query, signal });
  printPage(context, page, {
    plural: "projects",
    command: ["projects", "list"],
    headings: ["ID", "NAME", "STATUS", "DONE", "PHASE", "CREATED"],
    rows: page.projects.map(({ project_id, name, status, waiting_for, progress, current_phase, created_at }) => [
      project_id,
      name,
      waiting_for === null ? status : `${status} (${waiting_for})`,
      `${Math.floor(progress * 100)} %`,
      current_phase,
      created_at,
    ]),
  });
  return exitCode.ok;
}
