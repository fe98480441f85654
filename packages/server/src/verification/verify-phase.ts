import type { CompleteSpec } from "@slipway/spec";
import type { BlobStore } from "../artifacts/index.ts";
import type { PhaseVerdict, Verification } from "../lifecycle/index.ts";
import type { Sandbox } from "../sandbox/index.ts";
import type { Workspaces } from "../workspace/index.ts";
import { runScripts } from "./run-scripts.ts";

interface Parts {
  readonly workspaces: Workspaces;
  readonly blobs: BlobStore;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly minuteMs: number;
  readonly sandbox: Sandbox;
}

/** Verifies what a phase has made, in a folder of its own. */
export async function verifyPhase(
  { workspaces, blobs, findDocument, minuteMs, sandbox }: Parts,
  { projectId, phase, id, signal, load }: Verification,
): Promise<PhaseVerdict> {
  const { state } = await load();
  const document = await findDocument(projectId);
  const { commit } = await workspaces.open(projectId, state.head ?? undefined, { signal });
  const worktree = await workspaces.checkOut(projectId, id, commit, { signal });
  try {
    const { log, error } = await runScripts(sandbox, { document, folder: worktree.path, signal, minuteMs });
    const { digest, size } = await blobs.put(Buffer.from(log));
    const path = `logs/${encodeURIComponent(phase)}.log`;
    const artifacts = [{ type: "logs", path, mediaType: "text/plain; charset=utf-8", digest, size }];
    return error === undefined ? { isAccepted: true, artifacts } : { isAccepted: false, error, artifacts };
  } finally {
    await workspaces.release(worktree);
  }
}
