import type { DeploymentTarget } from "../find-target.ts";
import type { Containers } from "./containers.ts";

const names = ["container", "containers", "docker", "podman", "docker-compose", "compose", "podman-compose"];

/** Containers of whatever engine the operator has: documents name the way, not the program. */
export function containerTarget(containers: Pick<Containers, "whyMissing" | "contain">): DeploymentTarget {
  return {
    ...{ name: "container", orchestrators: names, platforms: names },
    whyNot: () => containers.whyMissing(),
    adapt: (release) => containers.contain(release),
  };
}
