import { type BuildTask, type OutcomePlan, scriptsFile } from "@slipway/blueprints";
import { type CompleteSpec, findPluginType, type KnownPlugin } from "@slipway/spec";
import { type AskingParts, askPlugin, PluginFailure } from "./ask-plugin.ts";
import { describePlugin, type PluginDescription } from "./describe-plugin.ts";
import { type PluginPlace, placeOf } from "./plugin-place.ts";
import type { PluginSettings } from "./plugin-settings.ts";
import { readPlan } from "./read-plan.ts";
import { Turns } from "./turns.ts";

/** The plugins of others that the operator allows. */
export interface Plugins {
  /** What documents may say because of them. */
  readonly known: readonly KnownPlugin[];
  /** What can be built because of them: outcome types, and languages. */
  readonly capabilities: readonly string[];
  /** Nothing if no plugin of the document defines its type; fails with a PluginFailure that names the plugin. */
  plan(document: CompleteSpec): Promise<OutcomePlan | undefined>;
  /** Does one task in the folder; false if no plugin of the document defines its type. */
  build(document: CompleteSpec, work: PluginWork): Promise<boolean>;
}

interface PluginWork {
  readonly task: BuildTask;
  readonly folder: string;
  readonly signal: AbortSignal;
}

interface Parts extends AskingParts {
  readonly dataFolder: string;
  readonly log: { warn(details: object, message: string): void };
}

interface OpenPlugin extends KnownPlugin {
  readonly place: PluginPlace;
  readonly languages: readonly string[];
}

/** Asks each plugin once what it is. One that cannot tell is refused in documents, with the reason; the service goes on. */
export async function openPlugins(parts: Parts, settings: readonly PluginSettings[]): Promise<Plugins> {
  const known = await Promise.all(settings.map((one) => openPlugin(parts, placeOf(parts.dataFolder, one))));
  // Tasks have the slots of agents; plans are asked for by anyone.
  const turns = new Turns({ atOnce: 2, mostWaiting: 20 });
  const find = ({ outcome_type, plugins }: CompleteSpec) => {
    const found = findPluginType(known, { outcome_type, plugins });
    return found?.plugin as OpenPlugin | undefined;
  };
  return {
    known,
    capabilities: [
      ...new Set(
        known.flatMap(({ outcomeTypes, languages }) => [...outcomeTypes.map(({ name }) => name), ...languages]),
      ),
    ],
    plan: async (document) => {
      const plugin = find(document);
      if (plugin === undefined) return undefined;
      const question = { ask: "plan", type: document.outcome_type, document } as const;
      return turns.take(() => naming(plugin, async () => readPlan(await askPlugin(parts, plugin.place, question))));
    },
    build: async (document, { task, folder, signal }) => {
      const plugin = find(document);
      if (plugin === undefined) return false;
      const question = { ask: "build", type: document.outcome_type, document, task, folder, scriptsFile } as const;
      await naming(plugin, () => askPlugin(parts, plugin.place, question, signal));
      return true;
    },
  };
}

async function openPlugin(parts: Parts, place: PluginPlace): Promise<OpenPlugin> {
  const { name } = place;
  try {
    const { outcome_types } = await describePlugin(parts, place);
    return {
      name,
      place,
      outcomeTypes: outcome_types.map(typeOf),
      languages: outcome_types.flatMap((one) => one.languages),
    };
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    parts.log.warn({ plugin: name }, `The plugin '${name}' cannot be used: ${error.message}`);
    return { name, place, outcomeTypes: [], languages: [], refusal: error.message };
  }
}

/** Only what documents need: it crosses to the threads that read them. */
function typeOf(type: PluginDescription["outcome_types"][number]): KnownPlugin["outcomeTypes"][number] {
  const { name, schema, acceptance_defaults, stack_defaults } = type;
  return {
    name,
    ...(schema !== undefined && { schema }),
    ...(acceptance_defaults !== undefined && { acceptance_defaults }),
    ...(stack_defaults !== undefined && { stack_defaults }),
  };
}

/** Whose fault it is belongs into the message. */
async function naming<T>({ name }: OpenPlugin, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    throw new PluginFailure(`The plugin '${name}' failed. ${error.message}`, { cause: error });
  }
}
