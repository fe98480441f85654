import { createHash } from "node:crypto";
import { resolve } from "node:path";

/** Which containers belong together: what the supervisor keeps alive, and scripts that the service runs. */
export type ContainerPart = "apps" | "scripts";

export const labels = {
  installation: "slipway.installation",
  part: "slipway.part",
  deployment: "slipway.deployment",
  release: "slipway.release",
} as const;

/** Names this data folder among those whose containers the same engine has. */
export function installationOf(dataFolder: string): string {
  return createHash("sha256")
    .update(`${resolve(dataFolder)}\0containers`)
    .digest("hex")
    .slice(0, 16);
}

/** The image of a version: its tag names the release, so that what is no longer kept can be told. */
export function imageTag(deploymentId: string, releaseId: string, index: number): string {
  return `${imageRepository(deploymentId)}:${releaseId}-${index}`;
}

export function imageRepository(deploymentId: string): string {
  return `localhost/slipway/${deploymentId}`;
}
