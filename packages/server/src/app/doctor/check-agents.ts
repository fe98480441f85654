import { declaredAgent, defaultProbeLimits, probeWithin, readAgentSettings } from "../../agents/index.ts";
import { messageOf } from "../../platform/errors/index.ts";
import { operatorsDialler } from "../../platform/network/index.ts";
import { openPlugins, readPluginSettings } from "../../platform/plugins/index.ts";
import type { Sandbox } from "../../platform/sandbox/index.ts";
import { builtInAgent } from "../built-in-agent.ts";
import type { Config } from "../config.ts";
import { type Finding, failed, ok } from "./finding.ts";

/** Probes the declared agents one after the other, and yields a finding for each. */
export async function* checkAgents(
  { agents, plugins, dataFolder }: Pick<Config, "agents" | "plugins" | "dataFolder">,
  sandbox: Sandbox,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<Finding> {
  let declared: ReturnType<typeof readAgentSettings>;
  try {
    declared = readAgentSettings(agents.declared, agents.file);
  } catch (error) {
    yield failed("agents", messageOf(error), `Correct it in ${agents.file}.`);
    return;
  }
  if (declared.length === 0) yield ok("agents", "none is declared: the built-in agent does the work");
  const dialler = operatorsDialler();
  const deps = { sandbox, dial: dialler.fetch, environment, blueprint: builtInAgent };
  const silent = { warn: () => undefined };
  const opened = declared.some(({ kind }) => kind === "plugin")
    ? {
        plugins: await openPlugins(
          { sandbox, dataFolder, log: silent },
          readPluginSettings(plugins.declared, plugins.file),
        ),
      }
    : {};
  try {
    for (const settings of declared) {
      const agent = declaredAgent(settings, { ...deps, ...opened });
      const probe = await probeWithin(agent, defaultProbeLimits.probeMs);
      const what = `agent '${agent.name}'`;
      if (probe.isUsable) yield ok(what, `can be used${probe.version === "" ? "" : ` (${probe.version})`}`);
      else yield failed(what, `cannot be used: ${probe.reason}`);
    }
  } finally {
    await dialler.close();
  }
}
