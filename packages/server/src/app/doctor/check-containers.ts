import { findEngine } from "../../deployment/index.ts";
import type { Config } from "../config.ts";
import { type Finding, failed, ok, warning } from "./finding.ts";

const name = "containers";
const firstMended = [4, 9, 4];

/** Whether containers can be run. Who neither names an engine nor deploys to one by default may have none. */
export async function* checkContainers({
  orchestrators,
  containers: { engine: wanted, allowsOwn },
}: Pick<Config, "orchestrators" | "containers">): AsyncGenerator<Finding> {
  if (!orchestrators.includes("container")) return;
  const found = await findEngine(wanted);
  if ("missing" in found) {
    if (wanted !== undefined || orchestrators[0] === "container") yield failed(name, found.missing);
    else yield ok(name, `only documents that ask for them need an engine. ${found.missing}`);
    return;
  }
  const message = `${found.command.join(" ")} runs them${found.isRootless ? ", rootless" : ""}`;
  const weak: { readonly message: string; readonly remedy: string }[] = [];
  if (!found.limitsCpus)
    weak.push({
      message: `${message}, but cannot limit their cores`,
      remedy: "Give its user the cgroup controller 'cpu' (systemd: Delegate=yes).",
    });
  // Left out, they may while there is one user.
  if (found.kind === "podman" && allowsOwn !== false && followsLinks(found.version))
    weak.push({
      message: `podman ${found.version} follows links in RUN --mount (CVE-2024-1753): a project's Dockerfile can read and change files of this machine`,
      remedy: `Update podman to ${firstMended.join(".")} or later, or set 'container_project_files: false'. Some distributions have mended older versions.`,
    });
  if (weak.length === 0) yield ok(name, message);
  else yield warning(name, weak.map((one) => one.message).join("; "), weak.map((one) => one.remedy).join(" "));
}

function followsLinks(version: string): boolean {
  const parts = version.split(".").map((part) => Number.parseInt(part, 10));
  const at = firstMended.findIndex((part, index) => parts[index] !== part);
  return at !== -1 && (parts[at] ?? 0) < firstMended[at]!;
}
