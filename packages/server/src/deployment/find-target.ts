import type { CompleteSpec } from "@slipway/spec";
import { type ImageBuilder, type KubernetesSettings, whyNoImages } from "./kubernetes/index.ts";
import type { SshSettings } from "./ssh/index.ts";

/** A request of the document about where it is deployed that nothing here serves. */
export interface UnservedRequest {
  readonly pointer: string;
  readonly reason: string;
}

/** Where the operator lets documents be deployed, beside this machine. */
export interface DeploymentTargets {
  readonly kubernetes?: KubernetesSettings | undefined;
  /** Builds images for the cluster; left out: no container engine is here. */
  readonly imageBuilder?: ImageBuilder | undefined;
  /** The machines that are reached over ssh, by name. */
  readonly ssh?: ReadonlyMap<string, SshSettings>;
}

type Wish = Pick<CompleteSpec, "deployment" | "scripts">;

/** What runs deployed software, by the names that documents use. */
const orchestrators: Readonly<Record<string, "process" | "kubernetes" | "ssh">> = {
  ...{ process: "process", local: "process" },
  ...{ kubernetes: "kubernetes", k8s: "kubernetes" },
  ...{ ssh: "ssh", systemd: "ssh" },
};
const localPlatforms = ["local", "process", "linux", "self-hosted"];

/** The target of a document, as its deployment keeps it: `process`, `kubernetes` or `ssh:<name>`. */
export function findTarget({ deployment, scripts }: Wish, targets: DeploymentTargets): string {
  // Its script knows where it goes.
  if (deployment === undefined || scripts?.deploy !== undefined) return "process";
  const platforms = (deployment.platforms ?? []).map((name) => name.toLowerCase());
  const isLocal = platforms.length === 0 || platforms.some((name) => localPlatforms.includes(name));
  const kind = kindOf(deployment.orchestrator, isLocal ? [] : platforms);
  if (kind !== "ssh") return kind ?? "process";
  return `ssh:${machineOf(platforms, targets) ?? ""}`;
}

/**
 * What the document asks for that no adapter serves: it is not deployed elsewhere in silence. A document with its own
 * `scripts.deploy` knows where it goes.
 */
export function unservedRequests({ deployment, scripts }: Wish, targets: DeploymentTargets): UnservedRequest[] {
  if (deployment === undefined || scripts?.deploy !== undefined) return [];
  const { orchestrator, platforms = [] } = deployment;
  const unserved: UnservedRequest[] = [];
  const names = platforms.map((name) => name.toLowerCase());
  const isLocal = names.length === 0 || names.some((name) => localPlatforms.includes(name));
  const kind = kindOf(orchestrator, isLocal ? [] : names);
  const reason = whyUnserved(kind, orchestrator, names, targets);
  if (reason !== undefined)
    unserved.push({
      pointer: orchestrator === undefined ? "/deployment/platforms" : "/deployment/orchestrator",
      reason,
    });
  const isServed = (name: string) =>
    localPlatforms.includes(name) ||
    (targets.kubernetes !== undefined && orchestrators[name] === "kubernetes") ||
    isMachine(name, targets);
  if (names.length > 0 && reason === undefined && !names.some(isServed))
    unserved.push({
      pointer: "/deployment/platforms",
      reason: `No adapter deploys to ${platforms.map((name) => `'${name}'`).join(", ")}. Add 'local', or give scripts.deploy.`,
    });
  return unserved;
}

function kindOf(orchestrator: string | undefined, platforms: readonly string[]) {
  if (orchestrator !== undefined) return orchestrators[orchestrator.toLowerCase()];
  return platforms.map((name) => orchestrators[name]).find((kind) => kind !== undefined) ?? "process";
}

function whyUnserved(
  kind: (typeof orchestrators)[string] | undefined,
  orchestrator: string | undefined,
  platforms: readonly string[],
  targets: DeploymentTargets,
): string | undefined {
  switch (kind) {
    case undefined:
      return `No adapter deploys with '${orchestrator}'. Say 'process', or give scripts.deploy.`;
    case "process":
      return undefined;
    case "kubernetes":
      if (targets.kubernetes === undefined)
        return "The operator declares no cluster. Add 'kubernetes' to the config file, say 'process', or give scripts.deploy.";
      return whyNoImages(targets.kubernetes.images, targets.imageBuilder);
    case "ssh": {
      const machines = [...(targets.ssh?.keys() ?? [])];
      if (machines.length === 0)
        return "The operator declares no machine. Add 'ssh' to the config file, say 'process', or give scripts.deploy.";
      if (machineOf(platforms, targets) !== undefined) return undefined;
      return `There are several machines. Name one of them in deployment.platforms: ${machines.join(", ")}.`;
    }
  }
}

/** The machine that the document names, or the only one. */
function machineOf(platforms: readonly string[], { ssh }: DeploymentTargets): string | undefined {
  const machines = [...(ssh?.keys() ?? [])];
  return platforms.find((name) => machines.includes(name)) ?? (machines.length === 1 ? machines[0] : undefined);
}

function isMachine(name: string, { ssh }: DeploymentTargets): boolean {
  return ssh?.has(name) === true || (orchestrators[name] === "ssh" && (ssh?.size ?? 0) > 0);
}
