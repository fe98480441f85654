import { findByArguments } from "../../platform/sandbox/index.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { type ContainerPart, labels } from "./own-labels.ts";
import { endLeftBuild, runEngine } from "./run-engine.ts";

/** Kills and removes containers; those that are gone already are no failure. */
export async function removeContainers(
  { command, kind }: Pick<ContainerEngine, "command" | "kind">,
  names: readonly string[],
) {
  if (names.length === 0) return;
  // Podman asks a container to end first, unless told otherwise.
  const atOnce = kind === "podman" ? ["--time", "0"] : [];
  await runEngine(command, ["rm", "--force", "--volumes", ...atOnce, ...names]);
}

/** Removes what a process that was killed has left of its containers; returns how many there were. */
export async function sweepContainers(
  engine: Pick<ContainerEngine, "command" | "kind">,
  { installation, part, release }: { installation: string; part: ContainerPart; release?: string },
): Promise<number> {
  const wanted = {
    [labels.installation]: installation,
    [labels.part]: part,
    ...(release && { [labels.release]: release }),
  };
  const filters = Object.entries(wanted).flatMap(([name, value]) => ["--filter", `label=${name}=${value}`]);
  const answer = await runEngine(engine.command, ["ps", "--all", "--quiet", "--no-trunc", ...filters]);
  if ("failure" in answer) return 0;
  const ids = answer.output.split("\n").filter((id) => /^[0-9a-f]{12,64}$/.test(id));
  await removeContainers(engine, ids);
  return ids.length;
}

/** Ends the builds that a service left when it was killed, of one version or of all: nobody else would end them. */
export async function endLeftBuilds({ installation, release }: { installation: string; release?: string }) {
  const ofRelease = release === undefined ? [] : [`${labels.release}=${release}`];
  const builds = await findByArguments(["build", `${labels.installation}=${installation}`, ...ofRelease]);
  await Promise.all(builds.map((build) => endLeftBuild(build)));
}
