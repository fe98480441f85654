import type { Deployments } from "../../deployment/index.ts";
import { findScripts, whyNotOwn } from "../../verification/index.ts";
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
  const scripts = await findScripts(document, folder, attempt.signal);
  const reason = await whyNotDeployable(scripts, folder, attempt.signal);
  if (reason !== undefined) {
    await attempt.finish({ is: "failed", error: { code: "deployment_failed", message: reason }, isFinal: true });
    return;
  }
  const end = await deployments.deploy({
    projectId: attempt.projectId,
    document,
    scripts,
    folder,
    commit,
    signal: AbortSignal.any([attempt.signal, attempt.leaseSignal()]),
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

/** Why the script that brings the result live is not its own; undefined if it is, or there is none. */
async function whyNotDeployable(
  { deploy, start }: { readonly deploy?: string; readonly start?: string },
  folder: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = deploy === undefined ? "start" : "deploy";
  const command = deploy ?? start;
  return command === undefined ? undefined : whyNotOwn({ name, command }, folder, signal);
}
