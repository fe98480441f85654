import type { ReleaseRef } from "../supervisor/index.ts";
import type { Labels } from "./cluster.ts";

/** What the operator's patterns can name. */
export interface ReleaseNames {
  /** The `id` of the document. */
  readonly application: string;
  /** Empty for the top level of the document. */
  readonly environment: string;
  readonly version: string;
}

/** Labels and annotations of ours. */
export const own = {
  host: "slipway/host",
  deployment: "slipway/deployment",
  release: "slipway/release",
  program: "slipway/program",
  /** As the document has it. */
  name: "slipway/name",
  /** How many copies people want. */
  replicas: "slipway/replicas",
  /** Set when the version was well for the first time. */
  ready: "slipway/ready",
  retireAt: "slipway/retire-at",
  /** As `rel_a=90,rel_b=10`. */
  shares: "slipway/shares",
  canary: "slipway/canary",
} as const;

const maxPart = 20;

/** The name of a deployment's or version's objects: ids have an underscore, names must not. */
export function nameOf(id: string): string {
  return id.replaceAll("_", "-").toLowerCase();
}

/** The name of the objects of one program. Names of programs are the document's: they may be anything. */
export function programName(releaseId: string, index: number, program: string): string {
  return `${nameOf(releaseId)}-${index}-${slug(program, maxPart)}`;
}

/** A text as part of a name: lower-case letters, digits and dashes. */
function slug(text: string, maxLength = 40): string {
  const plain = text.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return plain.slice(0, maxLength).replaceAll(/^-+|(?<!-)-+$/g, "") || "x";
}

/** The labels of everything that this node has in the cluster. */
export function hostLabels(host: string): Labels {
  return { "app.kubernetes.io/managed-by": "slipway", [own.host]: host };
}

export function deploymentLabels(host: string, deploymentId: string): Labels {
  return { ...hostLabels(host), [own.deployment]: deploymentId };
}

export function releaseLabels(host: string, { deploymentId, releaseId }: ReleaseRef): Labels {
  return { ...deploymentLabels(host, deploymentId), [own.release]: releaseId };
}

/** A pattern of the operator's with its places filled in. */
export function fillIn(pattern: string, deploymentId: string, names: ReleaseNames): string {
  return pattern
    .replaceAll("{application}", slug(names.application))
    .replaceAll("{deployment}", nameOf(deploymentId))
    .replaceAll("{environment}", slug(names.environment === "" ? "default" : names.environment))
    .replaceAll("{version}", slug(names.version));
}
