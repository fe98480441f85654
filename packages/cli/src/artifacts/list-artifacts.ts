import { textOf } from "../connection/with-service.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { table } from "../projects/table.ts";
import { toJson } from "../projects/to-json.ts";
import { amount } from "./amount.ts";
import type { Context } from "./context.ts";

export async function listArtifacts({ client, terminal, options, signal, names }: Context): Promise<ExitCode> {
  const [projectId = ""] = names;
  const [checkpoint, type] = [textOf(options, "checkpoint"), textOf(options, "type")];
  const list = await client.call("listArtifacts", {
    params: { project_id: projectId },
    query: { ...(checkpoint !== undefined && { checkpoint }), ...(type !== undefined && { type }) },
    signal,
  });
  if (options.json) {
    terminal.out(toJson(list));
    return exitCode.ok;
  }
  const rows = list.artifacts.map((one) => [one.type, one.path, amount(one.size_bytes), one.modified]);
  if (rows.length === 0) terminal.err("There are no artifacts.");
  else terminal.out(table(["TYPE", "PATH", "SIZE", "MODIFIED"], rows, terminal.colors).join("\n"));
  return exitCode.ok;
}
