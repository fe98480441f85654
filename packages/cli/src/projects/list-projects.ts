import type { CallOptions } from "@slipway/client";
import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import type { Context } from "./context.ts";
import { table } from "./table.ts";
import { toJson } from "./to-json.ts";

type Query = NonNullable<CallOptions<"listProjects">["query"]>;

export async function listProjects({ client, terminal, options, signal, connection }: Context): Promise<ExitCode> {
  const asked = {
    status: textOf(options, "status"),
    outcome_type: textOf(options, "outcomeType"),
    id: textOf(options, "id"),
    q: textOf(options, "search"),
    limit: textOf(options, "limit"),
    cursor: textOf(options, "cursor"),
  };
  // What may be asked for, the service knows; it refuses the rest.
  const page = await client.call("listProjects", { query: asked as unknown as Query, signal });
  if (options.json) {
    terminal.out(toJson(page));
    return exitCode.ok;
  }
  const rows = page.projects.map(({ project_id, name, status, waiting_for, progress, current_phase, created_at }) => [
    project_id,
    name,
    waiting_for === null ? status : `${status} (${waiting_for})`,
    `${Math.floor(progress * 100)} %`,
    current_phase,
    created_at,
  ]);
  if (rows.length === 0) terminal.err("There are no projects.");
  else terminal.out(table(["ID", "NAME", "STATUS", "DONE", "PHASE", "CREATED"], rows, terminal.colors).join("\n"));
  if (page.next_cursor !== null)
    terminal.err(`There are more: ${connection.commandLine("projects", "list", "--cursor", page.next_cursor)}`);
  return exitCode.ok;
}
