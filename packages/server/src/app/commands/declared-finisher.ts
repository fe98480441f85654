import { defaultRoles, type ResolvedSpec, restRole } from "@slipway/spec";
import { chooseAgent, effectiveCapabilities, everyRoleKind, readAgentSettings } from "../../agents/index.ts";
import { prepareRun } from "../../features/projects/index.ts";
import { ConfigError } from "../../platform/errors/index.ts";
import { builtInAgent } from "../built-in-agent.ts";
import { readConfig } from "../config.ts";

/**
 * The name of the agent in the config file that would finish what the built-in agent leaves of a document; null if none
 * would. Registered agents are known to a service only.
 */
export function declaredFinisher(resolved: ResolvedSpec, env: NodeJS.ProcessEnv): string | null {
  const { rules } = prepareRun(resolved, false);
  const candidates = [{ ...builtInAgent, kind: everyRoleKind }, ...declaredAgents(env)].map((agent) => ({
    id: agent.name,
    capabilities: effectiveCapabilities(agent.kind, agent.capabilities),
    offersEveryRole: agent.kind === everyRoleKind,
    ...{ freeSlots: 1, slots: 1 },
  }));
  const whoFills = (role: string) => {
    const choice = chooseAgent(candidates, { ...rules.roles[role]!, role, besides: [], mayBeBusy: true });
    return candidates.find(({ id }) => choice.is === "found" && id === choice.agentId);
  };
  return whoFills(defaultRoles.work)?.offersEveryRole === true ? (whoFills(restRole)?.id ?? null) : null;
}

/** A config file that is not valid is reported by whoever starts the service. */
function declaredAgents(env: NodeJS.ProcessEnv) {
  try {
    const { declared, file } = readConfig([], env).config.agents;
    return readAgentSettings(declared, file);
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}
