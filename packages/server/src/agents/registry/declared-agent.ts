import { randomUUID } from "node:crypto";
import type { Network, ProcessLimits, Sandbox } from "../../platform/sandbox/index.ts";
import { a2aDriver } from "../drivers/a2a/index.ts";
import { acpDriver } from "../drivers/acp/index.ts";
import { commandDriver, variablesOf } from "../drivers/command/driver.ts";
import { findProfile, plainProfile } from "../drivers/command/profiles.ts";
import type { AgentDriver, AgentHost } from "../drivers/driver.ts";
import { llmDriver } from "../drivers/llm/index.ts";
import { type PluginAgents, pluginDriver } from "../drivers/plugin.ts";
import { sandboxedHost } from "../supervisor/sandboxed-host.ts";
import type { AgentSettings } from "./agent-settings.ts";
import { isSetting } from "./is-setting.ts";
import type { RunnableAgent } from "./runnable-agent.ts";

interface Deps {
  readonly sandbox: Sandbox;
  readonly dial: AgentHost["fetch"];
  readonly environment: NodeJS.ProcessEnv;
  /** The built-in agent: what an agent of kind 'blueprint' does, and can do unless the operator lists less. */
  readonly blueprint: Pick<RunnableAgent, "driver" | "capabilities">;
  readonly plugins?: PluginAgents;
}

const defaultIdleMinutes = 10;
const defaultSlots = 1;

const networks: Readonly<Record<AgentSettings["network"], Network>> = {
  allow: "all",
  loopback: "loopback",
  none: "none",
};

/** Makes an agent of the config file runnable. */
export function declaredAgent(settings: AgentSettings, deps: Deps): RunnableAgent {
  const { name, slots = defaultSlots, network, limits, permissions, reads } = settings;
  return {
    name,
    capabilities: capabilitiesOf(settings, deps),
    slots,
    network: networks[network],
    readable: reads,
    permissions,
    limits: { ...limits, idleMinutes: limits.idleMinutes ?? defaultIdleMinutes },
    driver: driverOf(settings, deps),
    identity: identityOf(settings),
    secrets: () => valuesOf(settings, deps.environment),
    secretsInFiles: () =>
      secretsOf(settings, deps.environment)
        .filter(({ name: variable, value }) => !isSetting(variable, value))
        .map(({ value }) => value),
  };
}

/** The same model is the same judge, whichever program asks it. */
function identityOf({ kind, profile, command, args, model, url, plugin, driver }: AgentSettings): string {
  if (model !== undefined) return `model ${model.toLowerCase()}`;
  if (kind === "a2a") return addressIdentity(url ?? "");
  if (kind === "plugin") return `plugin ${JSON.stringify([plugin, driver])}`;
  return `program ${JSON.stringify([profile ?? null, command ?? null, ...args])}`;
}

/** The identity of an agent that is known by its address. */
export function addressIdentity(url: string): string {
  return `address ${URL.parse(url)?.href ?? url}`;
}

/** An agent that lists nothing has what its kind brings along. */
function capabilitiesOf({ kind, capabilities }: AgentSettings, { blueprint }: Deps): readonly string[] {
  return kind === "blueprint" && capabilities.length === 0 ? blueprint.capabilities : capabilities;
}

function driverOf(settings: AgentSettings, { sandbox, dial, environment, blueprint, plugins }: Deps): AgentDriver {
  const { kind, command = "", args, model = "", url = "", keyEnv, mode } = settings;
  const key = keyEnv === undefined ? {} : { keyEnv };
  switch (kind) {
    case "blueprint":
      return blueprint.driver;
    case "command":
      return commandDriver(profileOf(settings), settings, environment);
    case "acp":
      return acpDriver(
        { command, args, env: variablesOf(plainProfile, settings, environment), ...(mode !== undefined && { mode }) },
        probingHost(sandbox, settings.reads, valuesOf(settings, environment)),
      );
    case "llm":
      return llmDriver({ baseUrl: url, model, ...key }, { env: environment, fetch: dial });
    case "a2a":
      return a2aDriver({ url, ...key }, { env: environment, fetch: dial });
    case "plugin": {
      const env = variablesOf(plainProfile, settings, environment);
      const agent = { plugin: settings.plugin ?? "", driver: settings.driver ?? "" };
      return pluginDriver(plugins, { ...agent, env, network: networks[settings.network] });
    }
  }
}

function profileOf({ profile }: AgentSettings) {
  return (profile === undefined ? undefined : findProfile(profile)) ?? plainProfile;
}

/** The values that the agent receives from the service's environment. */
function secretsOf(settings: AgentSettings, environment: NodeJS.ProcessEnv) {
  const profile = profileOf(settings);
  const given = variablesOf({ ...profile, fixedVariables: {} }, settings, environment);
  const key = settings.keyEnv === undefined ? undefined : environment[settings.keyEnv];
  const values = Object.entries(given).map(([name, value]) => ({ name, value }));
  return [...values, ...(key ? [{ name: "key", value: key }] : [])];
}

function valuesOf(settings: AgentSettings, environment: NodeJS.ProcessEnv): readonly string[] {
  return secretsOf(settings, environment).map(({ value }) => value);
}

/** Enough to say hello; a document's limits hold for its own runs. */
const probeLimits: ProcessLimits = {
  memoryBytes: 2 * 2 ** 30,
  cpuCores: 1,
  processes: 64,
  diskBytes: 2 ** 30,
  outputBytes: 16 * 2 ** 20,
  wallMs: 60_000,
};

/** Starts programs for a probe, outside of any run. */
function probingHost(
  sandbox: Sandbox,
  readable: readonly string[],
  secrets: readonly string[],
): Pick<AgentHost, "start" | "maskEnd"> {
  return sandboxedHost(
    {
      ...{ sandbox, readable, secrets },
      runId: `probe-${randomUUID()}`,
      limits: probeLimits,
      network: "none",
      fetch: () => Promise.reject(new Error("A probe makes no calls.")),
      saveHandle: async () => undefined,
      isHeldUp: () => false,
    },
    AbortSignal.timeout(2 ** 31 - 1),
  );
}
