import { versionOf } from "../../deployment/index.ts";
import { bringLive, type DeployDeps, tellLive } from "./bring-live.ts";
import type { StepInput } from "./step-input.ts";

export type { DeployDeps } from "./bring-live.ts";

/** Brings the project's head live: its scripts say how. */
export async function deployStep(deps: DeployDeps, input: StepInput): Promise<void> {
  const { deployments } = deps;
  const { attempt, context, document, secrets, openLog, workspace } = input;
  const { environment } = context.run.rules;
  const unserved = await deployments.unserved(document);
  if (unserved.length > 0) {
    const message = unserved.map(({ reason }) => reason).join(" ");
    await attempt.finish({ is: "failed", error: { code: "deployment_failed", message }, isFinal: true });
    return;
  }
  const { commit } = await workspace.checkOut();
  const strategy = document.deployment?.strategy ?? "blue_green";
  const { projectId, number, signal } = attempt;
  const version = versionOf(commit);
  const release = await deployments.open({ projectId, attempt: number, environment, version, strategy, document });
  if ("code" in release) {
    const { code, message, host } = release;
    if (host !== undefined && (await attempt.handOver(host))) return;
    await attempt.finish({ is: "failed", error: { code, message }, isFinal: true });
    return;
  }
  const toBring = { projectId, environment, release, document, secrets, openLog, signal };
  const bring = async () => {
    await workspace.moveTo(release.folder);
    return bringLive(deps, { ...toBring, leaseSignal: attempt.leaseSignal() });
  };
  // The attempt before may have got that far, and died before it could say so.
  const outcome = release.live === undefined ? await bring() : await tellLive(deps, toBring, release.live);
  if (outcome.is === "failed" || outcome.deployment === undefined) await attempt.finish(outcome);
  else await attempt.finish({ ...outcome, deployment: { ...outcome.deployment, host: deployments.host } });
}
