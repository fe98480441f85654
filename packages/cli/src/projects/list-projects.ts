import { pageNames, queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printPage } from "../output/print.ts";
import { checkCounts } from "../output/quantities.ts";

export async function listProjects(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const names = { status: "status", outcome_type: "outcomeType", id: "id", q: "search", ...pageNames };
  const page = await client.call("listProjects", { query: queryOf(options, names), signal });
  printPage(context, page, {
    plural: "projects",
    command: ["projects", "list"],
    headings: ["ID", "NAME", "STATUS", "DONE", "CHECKS", "PHASE", "CREATED"],
    rows: page.projects.map(
      ({ project_id, name, status, waiting_for, progress, checks, current_phase, created_at }) => [
        project_id,
        name,
        waiting_for === null ? status : `${status} (${waiting_for})`,
        `${Math.floor(progress * 100)} %`,
        checks === null ? "" : checkCounts(checks),
        current_phase,
        created_at,
      ],
    ),
  });
  return exitCode.ok;
}
