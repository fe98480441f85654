import { type Client, listAll } from "@slipway/client";
import type { ArtifactCheck, DamagedArtifact } from "@slipway/contract";
import type { ServiceContext } from "../command.ts";
import { type ExitCode, exitCode } from "../exit-code.ts";
import { printable } from "../output/printable.ts";
import { byteSize, count } from "../output/quantities.ts";
import { toJson } from "../output/to-json.ts";

/** Has the service check artifacts, and lists the damaged ones. */
export async function verifyArtifacts(context: ServiceContext): Promise<ExitCode> {
  const { client, terminal, options, signal } = context;
  const [projectId = ""] = context.args;
  const damaged: DamagedArtifact[] = [];
  let [checked, checkedBytes] = [0, 0];
  for await (const id of projectId === "" ? allProjects(client, signal) : [projectId]) {
    for await (const found of checks(client, id, signal)) {
      damaged.push(...found.damaged);
      checked += found.checked;
      checkedBytes += found.checked_bytes;
      terminal.live(`${checked} checked, ${byteSize(checkedBytes)}, ${damaged.length} damaged`);
    }
  }
  terminal.live(undefined);
  if (options.json) terminal.out(toJson({ checked, checked_bytes: checkedBytes, damaged }));
  else {
    for (const { project_id, path, checkpoint_id, problem } of damaged)
      terminal.out(`${project_id}  ${printable(path)}  ${checkpoint_id ?? "now"}  ${problem}`);
    terminal.err(
      `${count(checked, "file")} checked, ${byteSize(checkedBytes)}: ${damaged.length === 0 ? "none" : damaged.length} damaged.`,
    );
  }
  return damaged.length === 0 ? exitCode.ok : exitCode.failed;
}

/** The service checks for some seconds in each call. */
async function* checks(client: Client, projectId: string, signal: AbortSignal): AsyncGenerator<ArtifactCheck> {
  for (let after: string | null | undefined; after !== null; ) {
    const found: ArtifactCheck = await client.call("verifyArtifacts", {
      params: { project_id: projectId },
      query: after === undefined ? {} : { after },
      signal,
    });
    yield found;
    after = found.next_after;
  }
}

async function* allProjects(client: Client, signal: AbortSignal): AsyncGenerator<string> {
  const all = listAll(
    (query) => client.call("listProjects", { query, signal }),
    (page) => page.projects,
  );
  for await (const { project_id } of all) yield project_id;
}
