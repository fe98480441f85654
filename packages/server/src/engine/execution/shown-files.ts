import { WorkspaceError } from "../../platform/git/index.ts";
import { type EvidenceFile, plainText } from "../../verification/index.ts";
import type { Workspaces } from "../workspaces/index.ts";

const maxFileBytes = 1024 * 1024;
/** What is read for all answers of an agent together. */
const maxTotalBytes = 32 * 1024 * 1024;
const maxFiles = 200;

interface Sources {
  readonly projectId: string;
  readonly commit: string;
  readonly evidence: readonly EvidenceFile[];
  /** Where the agent found the evidence. */
  readonly evidenceFolder: string;
  readonly signal: AbortSignal;
}

/**
 * Reads what an agent points at: files of the commit, and what our checks found. Not from the agent's folder, in which it
 * could have written what it shows. Links lead elsewhere, and are no evidence.
 */
export async function shownFiles(
  { workspaces }: { readonly workspaces: Pick<Workspaces, "listFiles" | "readFile"> },
  { projectId, commit, evidence, evidenceFolder, signal }: Sources,
): Promise<(path: string) => Promise<string | undefined>> {
  const files = new Set(
    (await workspaces.listFiles(projectId, commit, { signal })).flatMap(({ path, kind, sizeBytes }) =>
      kind === "link" || sizeBytes > maxFileBytes ? [] : [path],
    ),
  );
  const proofs = new Map(evidence.map(({ path, text }) => [`${evidenceFolder}/${path}`, text]));
  const known = new Map<string, string | undefined>();
  let leftBytes = maxTotalBytes;
  return async (path) => {
    if (known.has(path)) return known.get(path);
    if (known.size >= maxFiles || leftBytes <= 0) return undefined;
    const text = proofs.get(path) ?? (files.has(path) ? await readText(path) : undefined);
    leftBytes -= text?.length ?? 0;
    const plain = text === undefined || text.length > maxFileBytes ? undefined : plainText(text);
    known.set(path, plain);
    return plain;
  };

  async function readText(path: string): Promise<string | undefined> {
    try {
      return (await workspaces.readFile(projectId, commit, path, { maxBytes: maxFileBytes, signal }))?.toString("utf8");
    } catch (error) {
      if (error instanceof WorkspaceError && error.code === "too_large") return undefined;
      throw error;
    }
  }
}
