import { messageOf } from "../../platform/errors/index.ts";
import { listPlugins } from "../commands/list-plugins.ts";
import type { Config } from "../config.ts";
import { type Finding, failed, ok } from "./finding.ts";

/** Checks every plugin that the operator allows. */
export async function* checkPlugins(
  config: Pick<Config, "dataFolder" | "sandbox" | "plugins">,
): AsyncGenerator<Finding> {
  try {
    for (const { name, version, outcome_types, is_allowed, reason } of await listPlugins(config)) {
      if (!is_allowed) continue;
      const what = `plugin '${name}'`;
      if (reason === null) yield ok(what, `can be used (${version}; outcome types: ${outcome_types.join(", ")})`);
      else yield failed(what, `cannot be used: ${reason}`);
    }
  } catch (error) {
    yield failed("plugins", messageOf(error), `Correct it in ${config.plugins.file}.`);
  }
}
