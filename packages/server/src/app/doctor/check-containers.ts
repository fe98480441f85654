import { findEngine } from "../../deployment/index.ts";
import type { Config } from "../config.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const name = "containers";

/** Whether containers can be run. Who neither names an engine nor deploys to one by default may have none. */
export async function* checkContainers({
  orchestrators,
  containers: { engine: wanted },
}: Pick<Config, "orchestrators" | "containers">): AsyncGenerator<Finding> {
  if (!orchestrators.includes("container")) return;
  const found = await findEngine(wanted);
  if ("missing" in found) {
    if (wanted !== undefined || orchestrators[0] === "container") yield failed(name, found.missing);
    else yield ok(name, `only documents that ask for them need an engine. ${found.missing}`);
    return;
  }
  const message = `${found.command.join(" ")} runs them${found.isRootless ? ", rootless" : ""}`;
  if (found.limitsCpus) yield ok(name, message);
  else
    yield warning(
      name,
      `${message}, but cannot limit their cores`,
      "Give its user the cgroup controller 'cpu' (systemd: Delegate=yes).",
    );
}
