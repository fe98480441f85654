import { setTimeout as delay } from "node:timers/promises";
import { findByArguments } from "../../platform/sandbox/index.ts";
import type { ContainerEngine } from "./find-engine.ts";
import { type ContainerPart, labels } from "./own-labels.ts";
import { endLeftBuild, runEngine } from "./run-engine.ts";

/** An engine may fail for a moment, such as while another of its programs holds a container's folder. */
const attempts = 3;
const pauseMs = 500;

/** Kills and removes containers; those that are gone already are no failure. Nobody else would end what is left of them. */
export async function removeContainers(
  { command, kind }: Pick<ContainerEngine, "command" | "kind">,
  names: readonly string[],
) {
  if (names.length === 0) return;
  // Podman asks a container to end first, unless told otherwise.
  const atOnce = kind === "podman" ? ["--time", "0"] : [];
  for (let left = attempts; left > 0; left -= 1) {
    const answer = await runEngine(command, ["rm", "--force", "--volumes", ...atOnce, ...names]);
    if ("output" in answer) return;
    if (left > 1) await delay(pauseMs);
  }
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
