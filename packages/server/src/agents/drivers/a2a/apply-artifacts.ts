import type { AgentHost, AgentReport } from "../driver.ts";
import { ToolRefusal } from "../llm/tools/tool.ts";
import { applyPatch } from "../project-folder/apply-patch.ts";
import { writeFileIn } from "../project-folder/files.ts";
import { insideFolder } from "../project-folder/inside-folder.ts";
import type { Made } from "./read-artifacts.ts";

/** Puts what an agent elsewhere has made into the folder; says why not, if it cannot be. */
export async function takeMade(
  host: Pick<AgentHost, "start">,
  folder: string,
  { patches, files, links }: Made,
): Promise<AgentReport | undefined> {
  if (links.length > 0) return failed(`The agent only said where to find a file, instead of sending it: ${links[0]}`);
  for (const patch of patches) {
    const complaint = await applyPatch(host, folder, patch, "agent");
    if (complaint !== undefined) return failed(complaint);
  }
  for (const { path, bytes } of files) {
    try {
      await writeFileIn(folder, (await insideFolder(folder, path)).absolute, bytes);
    } catch (error) {
      if (!(error instanceof ToolRefusal)) throw error;
      return failed(`The agent's file '${path}' cannot be taken: ${error.message}`);
    }
  }
  return undefined;
}

function failed(message: string): AgentReport {
  return { is: "failed", code: "agent_result", message };
}
