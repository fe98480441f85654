import type { ContainerEngine } from "./find-engine.ts";
import { imageRepository } from "./own-labels.ts";
import { type EngineCommand, runEngine } from "./run-engine.ts";

/** Removes the images of a deployment's versions, but those of these. */
export async function removeImages(
  { command }: Pick<ContainerEngine, "command">,
  deploymentId: string,
  keptReleases: ReadonlySet<string>,
): Promise<void> {
  // The id may have come over a channel: nothing but images of one deployment may be removed by it.
  if (!/^dep_\w+$/.test(deploymentId)) return;
  const repository = imageRepository(deploymentId);
  const listed = await runEngine(command, ["images", "--format", "{{.Repository}}:{{.Tag}}", repository]);
  if ("failure" in listed) return;
  const old = listed.output.split("\n").filter((name) => {
    const release = name.startsWith(`${repository}:`) ? name.slice(repository.length + 1).replace(/-\d+$/, "") : "";
    return release.startsWith("rel_") && !keptReleases.has(release);
  });
  if (old.length > 0) await runEngine(command, ["rmi", ...old]);
}

/** Whether the engine still has an image: people tidy up, and restore data folders on other machines. */
export async function hasImage(command: EngineCommand, image: string): Promise<boolean> {
  return "output" in (await runEngine(command, ["image", "inspect", "--format", "{{.Id}}", image]));
}
