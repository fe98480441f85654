import { queryOf, type ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printList } from "../output/print.ts";
import { byteSize } from "../output/quantities.ts";

export async function listArtifacts(context: ServiceContext): Promise<ExitCode> {
  const { client, options, signal } = context;
  const [projectId = ""] = context.args;
  const list = await client.call("listArtifacts", {
    params: { project_id: projectId },
    query: queryOf(options, { checkpoint: "checkpoint", type: "type" }),
    signal,
  });
  printList(context, list, {
    plural: "artifacts",
    headings: ["TYPE", "PATH", "SIZE", "MODIFIED"],
    rows: list.artifacts.map((artifact) => [
      artifact.type,
      artifact.path,
      byteSize(artifact.size_bytes),
      artifact.modified,
    ]),
  });
  return exitCode.ok;
}
