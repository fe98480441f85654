import { stat } from "node:fs/promises";
import { join } from "node:path";
import { type ArtifactType, checkPlugin, type Plugin } from "@slipway/blueprints";
import { outcomeTypes } from "@slipway/spec";
import { oneLine } from "../one-line.ts";
import { type AskDeps, askPlugin, PluginFailure } from "./ask-plugin.ts";
import type { PluginPlace } from "./plugin-place.ts";

/** How a plugin describes itself: everything but its functions. */
export interface PluginDescription extends Pick<Plugin, "name" | "version"> {
  readonly outcome_types: readonly Omit<Plugin["outcome_types"][number], "plan" | "build" | "checks">[];
  readonly acceptance_checks?: readonly { readonly name: string }[];
  readonly artifact_types?: readonly ArtifactType[];
  readonly secret_providers?: readonly { readonly name: string }[];
  readonly agent_drivers?: readonly { readonly name: string }[];
}

/** They may quote what the plugin has written. */
const maxProblemsLength = 2_000;

/** Asks a plugin to describe itself; throws a PluginFailure if it cannot be used. */
export async function describePlugin(
  deps: AskDeps,
  place: PluginPlace,
  signal?: AbortSignal,
): Promise<PluginDescription> {
  // Checked before the sandbox starts, whose error would not name the missing folder.
  const isThere = await stat(join(place.folder, "package.json")).catch(() => undefined);
  if (isThere === undefined)
    throw new PluginFailure(
      `There is no package in ${place.folder}: 'slipway plugins add' installs one, 'path' names another folder.`,
    );
  const exported = await askPlugin(deps, place, { ask: "describe" }, signal && { signal });
  const problems = checkPlugin(exported);
  if (problems.length > 0) throw new PluginFailure(oneLine(problems.join(" "), maxProblemsLength));
  const description = exported as PluginDescription;
  if (description.name !== place.name)
    throw new PluginFailure(
      `It calls itself '${description.name}', but slipway.yaml says '${place.name}'; both must be the name of its package.`,
    );
  const taken = description.outcome_types.find(({ name }) => Object.hasOwn(outcomeTypes, name));
  if (taken !== undefined) throw new PluginFailure(`It defines the outcome type '${taken.name}', which is built in.`);
  return description;
}
