import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { askEngine } from "./find-engine.ts";
import { type ContainerPart, installationOf } from "./own-labels.ts";
import { type Left, sweepContainers } from "./remove-containers.ts";
import type { EngineCommand } from "./run-engine.ts";

const fileName = "container-engines.json";

/** Notes that containers of this data folder may be in the engine: before the first of them is made. */
export async function noteEngine(dataFolder: string, command: EngineCommand): Promise<void> {
  const known = await knownEngines(dataFolder);
  if (known.some((one) => JSON.stringify(one) === JSON.stringify(command))) return;
  const path = join(dataFolder, fileName);
  await writeFile(`${path}.new`, `${JSON.stringify([...known, command])}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** The engines that may have containers of this data folder; most data folders have none. */
export async function knownEngines(dataFolder: string): Promise<readonly EngineCommand[]> {
  const text = await readFile(join(dataFolder, fileName), "utf8").catch(() => "[]");
  const value: unknown = JSON.parse(text);
  return Array.isArray(value) ? (value as EngineCommand[]) : [];
}

/** Removes the containers that a process that was killed has left: they would hold the ports. */
export async function sweepLeftContainers(
  dataFolder: string,
  part: ContainerPart,
  left: Omit<Left, "installation"> = {},
): Promise<void> {
  for (const command of await knownEngines(dataFolder)) {
    const engine = await askEngine(command);
    if ("missing" in engine) continue;
    await sweepContainers(engine, part, { installation: installationOf(dataFolder), ...left });
  }
}
