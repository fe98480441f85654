import { type ResolvedSpec, restRole } from "@slipway/spec";
import { chooseAgent, effectiveCapabilities, everyRoleKind, readAgentSettings } from "../../agents/index.ts";
import { rolesOfWork } from "../../engine/execution/index.ts";
import { prepareRun } from "../../features/projects/index.ts";
import { ConfigError } from "../../platform/errors/index.ts";
import { builtInAgent } from "../built-in-agent.ts";
import { readConfig } from "../config.ts";

/** Who does what, as far as the config file tells: registered agents are known to a service only. */
interface DeclaredRoles {
  /** Whether an agent that follows rules does any of the work. */
  readonly isBuiltByRule: boolean;
  /** The name of the agent that would finish what the built-in agent leaves; null if none would. */
  readonly finisher: string | null;
  /** The roles of the plan that nobody fills. */
  readonly unfilled: readonly { readonly role: string; readonly capabilities: readonly string[] }[];
}

export function declaredRoles(resolved: ResolvedSpec, env: NodeJS.ProcessEnv): DeclaredRoles {
  const { plan, rules } = prepareRun(resolved, false);
  // What a plugin defines, its service builds.
  const builder = {
    ...builtInAgent,
    kind: everyRoleKind,
    capabilities: [...builtInAgent.capabilities, resolved.document.outcome_type],
  };
  const candidates = [builder, ...declaredAgents(env)].map((agent) => ({
    ...{ id: agent.name, name: agent.name },
    capabilities: effectiveCapabilities(agent.kind, agent.capabilities),
    offersEveryRole: agent.kind === everyRoleKind,
    ...{ freeSlots: 1, slots: 1 },
  }));
  const needs = (role: string) => rules.roles[role] ?? { capabilities: [], preferred: [] };
  const whoFills = (role: string) => {
    const choice = chooseAgent(candidates, { ...needs(role), role, besides: [], mayBeBusy: true });
    return candidates.find(({ id }) => choice.is === "found" && id === choice.agentId);
  };
  const roles = [...new Set(plan.tasks.map(({ role }) => role))];
  const isBuiltByRule = [...rolesOfWork(plan)].some((role) => whoFills(role)?.offersEveryRole === true);
  return {
    isBuiltByRule,
    finisher: isBuiltByRule ? (whoFills(restRole)?.id ?? null) : null,
    unfilled: roles
      .filter((role) => whoFills(role) === undefined)
      .map((role) => ({ role, capabilities: needs(role).capabilities })),
  };
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
