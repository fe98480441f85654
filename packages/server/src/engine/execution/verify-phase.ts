import type { CompleteSpec } from "@slipway/spec";
import { BlobError, type BlobStore } from "../../platform/blobs/index.ts";
import type { Plugins } from "../../platform/plugins/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import type { FoundSecrets } from "../../platform/secrets/index.ts";
import { checkByPlugins, runScripts } from "../../verification/index.ts";
import type { PhaseVerdict, RunError, Verification } from "../lifecycle/index.ts";
import { openMasked, type ProjectLogs } from "../logs/index.ts";
import type { PackageCaches, Workspaces } from "../workspaces/index.ts";

interface Deps {
  readonly workspaces: Workspaces;
  readonly blobs: BlobStore;
  readonly findDocument: (projectId: string) => Promise<CompleteSpec>;
  readonly minuteMs: number;
  readonly sandbox: Sandbox;
  readonly logs: ProjectLogs;
  readonly caches: PackageCaches;
  readonly findSecrets: (document: CompleteSpec) => Promise<FoundSecrets>;
  readonly plugins: Pick<Plugins, "check">;
  /** Why the result cannot be right, because what people changed contradicts what was generated; nothing if it does not. */
  readonly findConflict: (projectId: string, planVersion: number) => Promise<RunError | undefined>;
}

/** Verifies what a phase has made, in a folder of its own. */
export async function verifyPhase(
  { workspaces, blobs, findDocument, minuteMs, sandbox, logs, caches, findSecrets, plugins, findConflict }: Deps,
  { projectId, phase, id, signal, load }: Verification,
): Promise<PhaseVerdict> {
  const { state, planVersion } = await load();
  const conflict = await findConflict(projectId, planVersion);
  if (conflict !== undefined) return { isAccepted: false, error: conflict };
  const document = await findDocument(projectId);
  const found = await findSecrets(document);
  if ("message" in found) return { isAccepted: false, error: found };
  const secrets = found.values;
  const { commit } = await workspaces.open(projectId, state.head ?? undefined, { signal });
  const worktree = await workspaces.checkOut(projectId, id, commit, { signal });
  try {
    const cache = document.performance.cache_dependencies ? await caches.open(projectId) : undefined;
    const openLog = (source: string) =>
      openMasked(
        logs,
        { projectId, source, taskId: `accept ${phase}`, attempt: 1, agentId: "" },
        { ...document, secrets: Object.values(secrets) },
      );
    const toVerify = { document, folder: worktree.path, signal, minuteMs, cache, secrets, openLog };
    const scripts = await runScripts(sandbox, toVerify);
    const checks = scripts.error === undefined && (await checkByPlugins(plugins, { ...toVerify, phase }));
    const { log, error } = checks ? { log: scripts.log + checks.log, error: checks.error } : scripts;
    const kept = await blobs.put(Buffer.from(log), { ownerId: projectId }).catch((failure: unknown) => {
      if (failure instanceof BlobError) return failure;
      throw failure;
    });
    // Why the phase fails comes first; that its log could not be kept, where nothing else is wrong.
    if (kept instanceof BlobError)
      return { isAccepted: false, error: error ?? { code: kept.code, message: kept.message } };
    const { digest, size } = kept;
    const path = `logs/${encodeURIComponent(phase)}.log`;
    const artifacts = [{ type: "logs", path, mediaType: "text/plain; charset=utf-8", digest, size }];
    return error === undefined ? { isAccepted: true, artifacts } : { isAccepted: false, error, artifacts };
  } finally {
    await workspaces.release(worktree);
  }
}
