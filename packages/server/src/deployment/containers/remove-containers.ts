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

/** What may be left of a process that was killed. */
export interface Left {
  readonly installation: string;
  /** Left out: of all versions. */
  readonly release?: string;
  /** Whether the process of this name still needs what it started; left out: nobody does. */
  readonly isNeededBy?: (owner: string) => boolean;
}

const needless = () => false;

/** Removes what a process that was killed has left of its containers. */
export async function sweepContainers(
  engine: Pick<ContainerEngine, "command" | "kind">,
  part: ContainerPart,
  { installation, release, isNeededBy = needless }: Left,
): Promise<void> {
  const wanted = {
    [labels.installation]: installation,
    [labels.part]: part,
    ...(release && { [labels.release]: release }),
  };
  const filters = Object.entries(wanted).flatMap(([name, value]) => ["--filter", `label=${name}=${value}`]);
  const answer = await runEngine(engine.command, ["ps", "--all", "--no-trunc", "--format", idAndName, ...filters]);
  if ("failure" in answer) return;
  const found = [...answer.output.matchAll(/^([0-9a-f]{12,64}) (\S+)$/gm)];
  await removeContainers(
    engine,
    found.flatMap(([, id, name]) => (isNeededBy(name!) ? [] : [id!])),
  );
}

const idAndName = "{{.ID}} {{.Names}}";

/** Ends the builds that a service left when it was killed: nobody else would end them. */
export async function endLeftBuilds({ installation, release, isNeededBy = needless }: Left): Promise<void> {
  const ofRelease = release === undefined ? [] : [`${labels.release}=${release}`];
  const builds = await findByArguments(["build", `${labels.installation}=${installation}`, ...ofRelease]);
  const left = builds.filter(({ owner }) => !isNeededBy(owner));
  await Promise.all(left.map((build) => endLeftBuild(build)));
}
