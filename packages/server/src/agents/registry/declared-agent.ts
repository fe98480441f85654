import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import type { Network, Sandbox } from "../../platform/sandbox/index.ts";
import { a2aDriver } from "../drivers/a2a/index.ts";
import { acpDriver } from "../drivers/acp/index.ts";
import { blueprintDriver } from "../drivers/blueprint.ts";
import { commandDriver, variablesOf } from "../drivers/command/driver.ts";
import { findProfile, plainProfile } from "../drivers/command/profiles.ts";
import type { AgentDriver, AgentHost } from "../drivers/driver.ts";
import { llmDriver } from "../drivers/llm/index.ts";
import { type PluginAgents, pluginDriver } from "../drivers/plugin.ts";
import { sandboxedHost } from "../supervisor/sandboxed-host.ts";
import type { AgentSettings } from "./agent-settings.ts";
import type { AgentHere } from "./runnable-agent.ts";

interface Deps {
  readonly sandbox: Sandbox;
  readonly dial: AgentHost["fetch"];
  readonly environment: NodeJS.ProcessEnv;
  /** What builds by rule here, if it knows more than every installation does. */
  readonly blueprint?: AgentDriver;
  /** Left out: there are none here. */
  readonly plugins?: PluginAgents;
}

/** How long an agent may show no sign of life, where the operator does not say. */
const usualIdleMinutes = 10;
const usualSlots = 1;

const networks: Readonly<Record<AgentSettings["network"], Network>> = {
  allow: "all",
  loopback: "loopback",
  none: "none",
};

/** An agent that the operator declared, ready to be given tasks. */
export function agentOf(settings: AgentSettings, parts: Deps): AgentHere {
  const { name, capabilities, slots = usualSlots, network, limits, permissions } = settings;
  return {
    name,
    capabilities,
    slots,
    network: networks[network],
    permissions,
    limits: { ...limits, idleMinutes: limits.idleMinutes ?? usualIdleMinutes },
    driver: driverOf(settings, parts),
    secrets: () => secretsOf(settings, parts.environment),
  };
}

function driverOf(
  settings: AgentSettings,
  { sandbox, dial, environment, blueprint = blueprintDriver, plugins }: Deps,
): AgentDriver {
  const { kind, command = "", args, model = "", url = "", keyEnv, mode } = settings;
  const key = keyEnv === undefined ? {} : { keyEnv };
  switch (kind) {
    case "blueprint":
      return blueprint;
    case "command":
      return commandDriver(profileOf(settings), settings, environment);
    case "acp":
      return acpDriver(
        { command, args, env: variablesOf(plainProfile, settings, environment), ...(mode !== undefined && { mode }) },
        probingHost(sandbox),
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

/** What the agent is given from the service's environment. */
function secretsOf(settings: AgentSettings, environment: NodeJS.ProcessEnv): readonly string[] {
  const profile = profileOf(settings);
  const given = variablesOf({ ...profile, fixedVariables: {} }, settings, environment);
  const key = settings.keyEnv === undefined ? undefined : environment[settings.keyEnv];
  return [...Object.values(given), ...(key ? [key] : [])];
}

/** Starts programs while nobody works, to see whether they are there. */
function probingHost(sandbox: Sandbox): Pick<AgentHost, "start"> {
  return sandboxedHost(
    {
      sandbox,
      runId: `probe-${randomUUID()}`,
      agentId: "probe",
      folder: tmpdir(),
      limits: { wallMs: 60_000 },
      network: "none",
      fetch: () => Promise.reject(new Error("A probe calls nobody.")),
      keepHandle: async () => undefined,
      isHeldUp: () => false,
    },
    AbortSignal.timeout(2 ** 31 - 1),
  );
}
