import { cpus } from "node:os";
import { builtInPlugin, type Plugin } from "@slipway/blueprints";
import { blueprintDriver, blueprintDriverWith, type RunnableAgent } from "../agents/index.ts";
import type { Plugins } from "../platform/plugins/index.ts";

/** The agent of every installation: it fills every role, and builds what there are blueprints for. */
export const builtInAgent: RunnableAgent = {
  name: "builder",
  driver: blueprintDriver,
  capabilities: ["planner", "reviewer", "deployer", ...capabilitiesOf(builtInPlugin)],
  slots: cpus().length,
};

/** The built-in agent, which also builds what other plugins define. */
export function builtInAgentWith(plugins: Pick<Plugins, "build" | "plan" | "capabilities">): RunnableAgent {
  const capabilities = [...new Set([...builtInAgent.capabilities, ...plugins.capabilities])];
  return { ...builtInAgent, driver: blueprintDriverWith(plugins), capabilities };
}

/** The outcome types of a plugin, and the languages in which it builds them. */
function capabilitiesOf({ outcome_types }: Plugin): string[] {
  return [...new Set(outcome_types.flatMap(({ name, languages }) => [name, ...languages]))];
}
