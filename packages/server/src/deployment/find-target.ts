import type { CompleteSpec } from "@slipway/spec";
import type { ReleasePlan } from "./supervisor/release-plan.ts";

/** A request of the document about where it is deployed that nothing here serves. */
export interface UnservedRequest {
  readonly pointer: string;
  readonly reason: string;
}

/** A way to run deployed software, and the names that documents use for it. */
export interface DeploymentTarget {
  /** As the operator calls it. */
  readonly name: string;
  readonly orchestrators: readonly string[];
  readonly platforms: readonly string[];
  /** Where its versions run, as deployments keep it; left out: on this machine. */
  readonly at?: string;
  /** Why it cannot be used here, with what to do about it; undefined if it can. */
  readonly whyNot: () => Promise<string | undefined>;
  /** Makes what it needs of a version's files, and plans its programs for itself; left out: they run as they are. */
  readonly adapt?: (release: ReleaseToAdapt) => Promise<AdaptedRelease>;
}

/** A version that was built, and how its programs would run in the sandbox. */
export interface ReleaseToAdapt {
  readonly deploymentId: string;
  readonly releaseId: string;
  readonly folder: string;
  readonly plan: ReleasePlan;
  /** What its programs get, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly limitMs: number;
  readonly signal: AbortSignal;
  readonly onOutput: (text: string) => void;
}

export type AdaptedRelease =
  | { readonly plan: ReleasePlan; readonly rendered: readonly RenderedFile[] }
  | { readonly failure: string };

/** A file that was made for a deployment, for people to read and to use. */
export interface RenderedFile {
  /** Among the files of the deployment. */
  readonly path: string;
  readonly text: string;
}

/** Programs in the sandbox, on this machine. */
export const processTarget: DeploymentTarget = {
  name: "process",
  orchestrators: ["process", "local"],
  platforms: ["local", "process", "linux", "self-hosted"],
  whyNot: async () => undefined,
};

type Asking = Pick<CompleteSpec, "deployment" | "scripts">;

/** The way that a document asks for among those that the operator allows: the first, if it does not ask. */
export function findTarget(targets: readonly DeploymentTarget[], { deployment }: Asking): DeploymentTarget | undefined {
  const { orchestrator, platforms = [] } = deployment ?? {};
  const isNamed = (target: DeploymentTarget) => platforms.some((name) => target.platforms.includes(name.toLowerCase()));
  if (orchestrator === undefined) return platforms.length === 0 ? targets[0] : targets.find(isNamed);
  const fitting = targets.filter(({ orchestrators }) => orchestrators.includes(orchestrator.toLowerCase()));
  // Of several machines, the document must name one.
  return fitting.length > 1 ? fitting.find(isNamed) : fitting[0];
}

/**
 * What the document asks for that no adapter serves: it is not deployed elsewhere in silence. A document with its own
 * `scripts.deploy` knows where it goes.
 */
export async function unservedRequests(
  targets: readonly DeploymentTarget[],
  document: Asking,
): Promise<UnservedRequest[]> {
  const { deployment, scripts } = document;
  if (scripts?.deploy !== undefined) return [];
  const { orchestrator, platforms = [] } = deployment ?? {};
  const names = targets.map(({ name }) => `'${name}'`).join(" or ");
  const unserved: UnservedRequest[] = [];
  const isServed = (name: string) => targets.some((target) => target.platforms.includes(name.toLowerCase()));
  if (platforms.length > 0 && !platforms.some(isServed))
    unserved.push({
      pointer: "/deployment/platforms",
      reason: `No adapter deploys to ${platforms.map((name) => `'${name}'`).join(", ")}. Add 'local', or give scripts.deploy.`,
    });
  const target = findTarget(targets, document);
  if (orchestrator !== undefined && target === undefined) {
    const fitting = targets.filter(({ orchestrators }) => orchestrators.includes(orchestrator.toLowerCase()));
    const reason =
      fitting.length === 0
        ? `No adapter deploys with '${orchestrator}'. Say ${names}, or give scripts.deploy.`
        : `There are several. Name one of them in deployment.platforms: ${fitting.map(({ name }) => name).join(", ")}.`;
    unserved.push({ pointer: "/deployment/orchestrator", reason });
  }
  const reason = await target?.whyNot();
  if (reason !== undefined)
    unserved.push({ pointer: orchestrator === undefined ? "/deployment" : "/deployment/orchestrator", reason });
  return unserved;
}
