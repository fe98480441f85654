import type { Deployments } from "../../deployment/index.ts";
import { findScripts } from "../../verification/index.ts";
import type { StepInput } from "./step-input.ts";

export interface DeployDeps {
  readonly deployments: Deployments;
  readonly minuteMs: number;
}

/** Brings the project's head live: its scripts say how. */
export async function deployStep(
  { deployments, minuteMs }: DeployDeps,
  { attempt, document, secrets, workspace, openLog }: StepInput,
): Promise<void> {
  const { folder, commit } = await workspace.checkOut();
  const end = await deployments.deploy({
    projectId: attempt.projectId,
    document,
    scripts: await findScripts(document, folder, attempt.signal),
    folder,
    commit,
    signal: attempt.signal,
    minuteMs,
    secrets,
    openLog,
  });
  if ("error" in end) {
    await attempt.finish({ is: "failed", error: end.error });
    return;
  }
  // What is live runs from this folder.
  if (end.deployment.url !== "") workspace.keep();
  await attempt.finish({ is: "succeeded", deployment: end.deployment });
}
