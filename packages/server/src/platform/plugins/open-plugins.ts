import {
  type ArtifactType,
  type BuildTask,
  type CheckVerdict,
  type OutcomePlan,
  scriptsFile,
} from "@slipway/blueprints";
import { acceptanceLines, type CompleteSpec, findPluginType, type KnownPlugin } from "@slipway/spec";
import { type AskDeps, askPlugin, PluginFailure } from "./ask-plugin.ts";
import { ConcurrencyLimiter } from "./concurrency-limiter.ts";
import { describePlugin, type PluginDescription } from "./describe-plugin.ts";
import { type PluginPlace, placeOf } from "./plugin-place.ts";
import { pluginSecrets } from "./plugin-secrets.ts";
import type { PluginSettings } from "./plugin-settings.ts";
import { readPlan } from "./read-plan.ts";
import { readVerdicts } from "./read-verdicts.ts";

/** A plugin's verdict; with a pointer, on that line of the document. */
export interface PluginVerdict extends CheckVerdict {
  readonly pointer?: string;
}

/** Third-party plugins that the operator allows. */
export interface Plugins {
  /** The outcome types that documents may name because of them. */
  readonly known: readonly KnownPlugin[];
  /** The outcome types and languages they can build. */
  readonly capabilities: readonly string[];
  /** Undefined if no plugin of the document defines its type; throws a PluginFailure that names the plugin. */
  plan(document: CompleteSpec): Promise<OutcomePlan | undefined>;
  /** Does one task in the folder; false if no plugin of the document defines its type. */
  build(document: CompleteSpec, work: PluginWork): Promise<boolean>;
  /** The keys of `acceptance` that the document's plugins answer for. */
  checkNames(document: CompleteSpec): readonly string[];
  /** The verdicts of the document's plugins on a result; throws a PluginFailure that names the plugin. */
  check(document: CompleteSpec, result: ResultToCheck): Promise<readonly PluginVerdict[]>;
  /** The kinds of files that the document's plugins know. */
  artifactTypes(document: CompleteSpec): readonly ArtifactType[];
  /** Finds the plugin that implements a secret provider; undefined if none does. */
  readonly secrets: ReturnType<typeof pluginSecrets>;
  /** Runs one task with an agent driver of a plugin. */
  runAgent(agent: PluginAgent, document: CompleteSpec, work: AgentsWork): Promise<void>;
  /** Why the agent driver cannot be used; undefined if it can. */
  whyNoAgent(agent: PluginAgent): string | undefined;
}

interface PluginWork {
  readonly task: BuildTask;
  readonly folder: string;
  readonly signal: AbortSignal;
}

interface ResultToCheck {
  /** The phase that ends; undefined for the whole result. */
  readonly phase?: string;
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** An agent driver that a plugin defines. */
interface PluginAgent {
  readonly plugin: string;
  readonly driver: string;
}

interface AgentsWork {
  readonly task: BuildTask & { readonly role: string };
  readonly folder: string;
  readonly signal: AbortSignal;
  readonly network: "all" | "loopback" | "none";
  readonly env: Readonly<Record<string, string>>;
}

interface Deps extends AskDeps {
  readonly dataFolder: string;
  readonly log: { warn(details: object, message: string): void };
}

/** A plugin with everything it declared about itself. */
export interface OpenPlugin extends KnownPlugin {
  readonly settings: PluginSettings;
  readonly place: PluginPlace;
  readonly languages: readonly string[];
  readonly checks: readonly string[];
  readonly artifactTypes: readonly ArtifactType[];
  readonly secretProviders: readonly string[];
  readonly agentDrivers: readonly string[];
}

/**
 * Asks each plugin to describe itself. Documents that name one that failed are refused with the reason; the service starts
 * all the same.
 */
export async function openPlugins(deps: Deps, settings: readonly PluginSettings[]): Promise<Plugins> {
  const known = await Promise.all(settings.map((one) => openPlugin(deps, one)));
  // The slots of agents limit tasks; any caller can ask for a plan.
  const planLimiter = new ConcurrencyLimiter({ maxConcurrent: 2, maxWaiting: 20 });
  const find = ({ outcome_type, plugins }: CompleteSpec) => {
    const found = findPluginType(known, { outcome_type, plugins });
    return found?.plugin as OpenPlugin | undefined;
  };
  const pluginsOf = ({ plugins = [] }: CompleteSpec) => known.filter(({ name }) => plugins.includes(name));
  const whyNoAgent = ({ plugin: name, driver }: PluginAgent) => {
    const plugin = known.find((one) => one.name === name);
    if (plugin === undefined) return `The plugin '${name}' is not allowed here.`;
    if (plugin.refusal !== undefined) return `The plugin '${name}' cannot be used: ${plugin.refusal}`;
    return plugin.agentDrivers.includes(driver) ? undefined : `The plugin '${name}' has no agent driver '${driver}'.`;
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
      return planLimiter.run(() =>
        namingPlugin(plugin, async () => readPlan(await askPlugin(deps, plugin.place, question))),
      );
    },
    build: async (document, { task, folder, signal }) => {
      const plugin = find(document);
      if (plugin === undefined) return false;
      const question = { ask: "build", type: document.outcome_type, document, task, folder, scriptsFile } as const;
      await namingPlugin(plugin, () => askPlugin(deps, plugin.place, question, { signal }));
      return true;
    },
    checkNames: (document) => pluginsOf(document).flatMap(({ checks }) => checks),
    check: async (document, { phase, folder, signal }) => {
      const verdicts: PluginVerdict[] = [];
      const builder = phase === undefined ? find(document) : undefined;
      for (const plugin of pluginsOf(document)) {
        const lines = linesFor(plugin, document, phase);
        const type = plugin === builder ? { type: document.outcome_type } : {};
        if (lines.length === 0 && plugin !== builder) continue;
        const asked = lines.map(({ name, value }) => ({ name, value }));
        const question = { ask: "check", ...type, document, lines: asked, folder } as const;
        const answer = () => askPlugin(deps, plugin.place, question, { signal });
        const own = await namingPlugin(plugin, async () => readVerdicts(await answer(), lines.length));
        // Those on lines come last, in the order of the lines.
        const first = own.length - lines.length;
        verdicts.push(...own.map((verdict, index) => ({ ...verdict, ...placeOfLine(lines[index - first]) })));
      }
      return verdicts;
    },
    artifactTypes: (document) => pluginsOf(document).flatMap(({ artifactTypes }) => artifactTypes),
    secrets: pluginSecrets(deps, known),
    whyNoAgent,
    runAgent: async (agent, document, { task, folder, signal, network, env }) => {
      const reason = whyNoAgent(agent);
      if (reason !== undefined) throw new PluginFailure(reason);
      const plugin = known.find(({ name }) => name === agent.plugin)!;
      const question = { ask: "start", driver: agent.driver, document, task, folder } as const;
      await namingPlugin(plugin, () => askPlugin(deps, plugin.place, question, { signal, network, env }));
    },
  };
}

/** The acceptance lines that a plugin checks, of a phase or of the whole. */
function linesFor({ checks }: OpenPlugin, document: CompleteSpec, phase: string | undefined) {
  return acceptanceLines(document).flatMap((line) => {
    const { check } = line;
    if (line.phase !== phase || check.kind !== "named" || !checks.includes(check.name)) return [];
    return [{ pointer: line.pointer, name: check.name, value: check.value }];
  });
}

function placeOfLine(line: { readonly pointer: string } | undefined): { readonly pointer?: string } {
  return line === undefined ? {} : { pointer: line.pointer };
}

async function openPlugin(deps: Deps, settings: PluginSettings): Promise<OpenPlugin> {
  const { name } = settings;
  const place = placeOf(deps.dataFolder, settings);
  try {
    const described = await describePlugin(deps, place);
    const { outcome_types, acceptance_checks, artifact_types, secret_providers, agent_drivers } = described;
    return {
      name,
      settings,
      place,
      outcomeTypes: outcome_types.map(typeOf),
      languages: outcome_types.flatMap((one) => one.languages),
      checks: namesOf(acceptance_checks),
      artifactTypes: artifact_types ?? [],
      secretProviders: namesOf(secret_providers),
      agentDrivers: namesOf(agent_drivers),
    };
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    deps.log.warn({ plugin: name }, `The plugin '${name}' cannot be used: ${error.message}`);
    const nothing = { outcomeTypes: [], languages: [], checks: [], artifactTypes: [] };
    return { name, settings, place, ...nothing, secretProviders: [], agentDrivers: [], refusal: error.message };
  }
}

function namesOf(list: readonly { readonly name: string }[] = []): string[] {
  return list.map(({ name }) => name);
}

/** Only what the threads that parse documents need, since it is copied to them. */
function typeOf(type: PluginDescription["outcome_types"][number]): KnownPlugin["outcomeTypes"][number] {
  const { name, schema, acceptance_defaults, stack_defaults } = type;
  return {
    name,
    ...(schema !== undefined && { schema }),
    ...(acceptance_defaults !== undefined && { acceptance_defaults }),
    ...(stack_defaults !== undefined && { stack_defaults }),
  };
}

/** Adds the name of the plugin to its failure. */
async function namingPlugin<T>({ name }: OpenPlugin, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (!(error instanceof PluginFailure)) throw error;
    throw new PluginFailure(`The plugin '${name}' failed. ${error.message}`, { cause: error });
  }
}
