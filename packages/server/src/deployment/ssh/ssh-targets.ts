import type { DeploymentTarget } from "../find-target.ts";

const orchestrators = ["ssh", "systemd"];

/** The operator's machines. A document names one of several by its platforms. */
export function sshTargets(machines: readonly string[]): DeploymentTarget[] {
  return machines.map((name) => ({
    ...{ name, orchestrators, at: `ssh:${name}`, whyNot: async () => undefined },
    platforms: machines.length === 1 ? [name, ...orchestrators] : [name],
  }));
}
