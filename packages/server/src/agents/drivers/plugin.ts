import { PluginFailure, type Plugins } from "../../platform/plugins/index.ts";
import type { Network } from "../../platform/sandbox/index.ts";
import { buildTask } from "./blueprint/blueprint-driver.ts";
import type { AgentDriver } from "./driver.ts";
import { failed } from "./failed-report.ts";
import { functionDriver } from "./function-driver.ts";

interface PluginAgentOptions {
  readonly plugin: string;
  readonly driver: string;
  readonly network: Network;
  /** Variables that the operator passes on from the service's environment. */
  readonly env: Readonly<Record<string, string>>;
}

export type PluginAgents = Pick<Plugins, "runAgent" | "whyNoAgent">;

/** Drives an agent of a kind that a plugin defines; each task runs in a process of its own. */
export function pluginDriver(
  plugins: PluginAgents = noPlugins,
  { plugin, driver, network, env }: PluginAgentOptions,
): AgentDriver {
  const agent = { plugin, driver };
  const simple = functionDriver("plugin", async (work) => {
    const { document, folder, signal } = work;
    const task = { ...buildTask(work), role: work.task.role };
    try {
      await plugins.runAgent(agent, document, { task, folder, signal, network, env });
      return { is: "done" };
    } catch (error) {
      if (!(error instanceof PluginFailure)) throw error;
      return failed("plugin_failed", error.message);
    }
  });
  return {
    ...simple,
    probe: async () => {
      const reason = plugins.whyNoAgent(agent);
      return reason === undefined ? { isUsable: true, version: "" } : { isUsable: false, reason };
    },
  };
}

const noPlugins: PluginAgents = {
  whyNoAgent: ({ plugin }) =>
    `The plugin '${plugin}' cannot be used here: agents of plugins run in the service itself.`,
  runAgent: () => Promise.reject(new PluginFailure("There are no plugins here.")),
};
