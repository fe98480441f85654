import { FileRefusal, resolveInside, writeProjectFile } from "../../../platform/project-files/index.ts";
import type { AgentHost } from "../driver.ts";
import { type FailedReport, failed } from "../failed-report.ts";
import { applyPatch } from "../project-folder/apply-patch.ts";
import type { ArtifactContent } from "./read-artifacts.ts";

/**
 * Writes what a remote agent made into the project's folder; returns the failure, if it cannot. There may be a hundred
 * thousand parts: once nobody wants the result, none is written any more, for the folder may be gone.
 */
export async function applyArtifacts(
  host: Pick<AgentHost, "start">,
  folder: string,
  { patches, files, links }: ArtifactContent,
  signal: AbortSignal,
): Promise<FailedReport | undefined> {
  if (links.length > 0) return refused(`The agent sent a link to a file instead of the file itself: ${links[0]}`);
  for (const patch of patches) {
    signal.throwIfAborted();
    const refusal = await applyPatch(host, folder, patch, "agent");
    if (refusal !== undefined) return refused(refusal);
  }
  for (const { path, bytes } of files) {
    signal.throwIfAborted();
    try {
      await writeProjectFile(folder, await resolveInside(folder, path), bytes);
    } catch (error) {
      if (!(error instanceof FileRefusal)) throw error;
      return refused(`The agent's file '${path}' cannot be written: ${error.message}`);
    }
  }
  return undefined;
}

function refused(message: string): FailedReport {
  return failed("agent_result", message);
}
