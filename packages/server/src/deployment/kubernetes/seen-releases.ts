import type { V1Deployment, V1Pod, V1Service } from "@kubernetes/client-node";
import { Masker, ownWords } from "../../platform/secrets/index.ts";
import type { DeploymentStatus, RouteShare } from "../supervisor/index.ts";
import { explainPods } from "./explain-pods.ts";
import { own } from "./object-names.ts";
import { entryLabel, servicePort } from "./render-release.ts";

export interface SeenObjects {
  readonly deployments: readonly V1Deployment[];
  /** The addresses of deployments, not those of programs. */
  readonly services: readonly V1Service[];
  readonly pods: readonly V1Pod[];
}

interface SeenRelease {
  readonly deploymentId: string;
  readonly releaseId: string;
  /** Each after those it needs; the last one gets the requests. */
  readonly programs: readonly V1Deployment[];
}

/** The state of the deployments that have objects in the cluster. */
export function statusOf(seen: SeenObjects, urlOf: (deploymentId: string) => string): DeploymentStatus[] {
  const releases = releasesIn(seen.deployments);
  return [...new Set(releases.map(({ deploymentId }) => deploymentId))].map((deploymentId) => {
    const address = seen.services.find(({ metadata }) => metadata?.labels?.[own.deployment] === deploymentId);
    return {
      deploymentId,
      port: null,
      ...(address !== undefined && { url: urlOf(deploymentId) }),
      shares: sharesIn(address),
      releases: releases
        .filter((one) => one.deploymentId === deploymentId)
        .map((release) => ({
          releaseId: release.releaseId,
          isReady: isReady(release),
          programs: release.programs.flatMap((program) => copiesOf(program, seen.pods)),
        })),
      // A Service counts nothing.
      traffic: [],
    };
  });
}

/** The versions that have objects in the cluster. */
export function releasesIn(deployments: readonly V1Deployment[]): SeenRelease[] {
  const byRelease = Map.groupBy(deployments, ({ metadata }) => metadata?.labels?.[own.release] ?? "");
  return [...byRelease].map(([releaseId, programs]) => ({
    deploymentId: programs[0]!.metadata?.labels?.[own.deployment] ?? "",
    releaseId,
    programs: programs.toSorted((a, b) => orderOf(a) - orderOf(b)),
  }));
}

/** Whether it was well at least once. */
export function isReady({ programs }: Pick<SeenRelease, "programs">): boolean {
  return programs.at(-1)?.metadata?.annotations?.[own.ready] === "true";
}

/** How many copies people want of a program. */
export function wantedCopies({ metadata, spec }: V1Deployment): number {
  return Number(metadata?.annotations?.[own.replicas] ?? spec?.replicas ?? 1);
}

/** Whether all copies that it should have are available, and those of an earlier template are gone. */
export function isRolledOut({ metadata, spec, status }: V1Deployment): boolean {
  const replicas = spec?.replicas ?? 1;
  return (
    (status?.observedGeneration ?? 0) >= (metadata?.generation ?? 0) &&
    (status?.updatedReplicas ?? 0) >= replicas &&
    (status?.replicas ?? 0) <= (status?.updatedReplicas ?? 0) &&
    (status?.availableReplicas ?? 0) >= replicas
  );
}

/** The pods of a program. */
export function podsOf({ spec }: V1Deployment, pods: readonly V1Pod[]): V1Pod[] {
  const labels = Object.entries(spec?.selector.matchLabels ?? {});
  return pods.filter(({ metadata }) => labels.every(([key, value]) => metadata?.labels?.[key] === value));
}

/** Where the others of its version reach a program. */
export function originOf(program: V1Deployment, namespace: string): string {
  return `http://${program.metadata?.name}.${namespace}.svc:${servicePort}`;
}

export function sharesIn(address: V1Service | undefined): RouteShare[] {
  const written = address?.metadata?.annotations?.[own.shares] ?? "";
  return written
    .split(",")
    .filter((share) => share !== "")
    .map((share) => {
      const [releaseId = "", weight] = share.split("=");
      return { releaseId, weight: Number(weight) };
    });
}

function orderOf({ metadata }: V1Deployment): number {
  const label = metadata?.labels?.[own.program];
  return label === entryLabel ? Number.POSITIVE_INFINITY : Number(label);
}

/** One entry for each copy that is wanted: what a cluster adds under load is its own affair. */
function copiesOf(program: V1Deployment, all: readonly V1Pod[]) {
  const pods = podsOf(program, all);
  const { available, restarts } = {
    available: program.status?.availableReplicas ?? 0,
    restarts: pods.reduce((sum, { status }) => sum + (status?.containerStatuses?.[0]?.restartCount ?? 0), 0),
  };
  const name = program.metadata?.annotations?.[own.name] ?? "";
  const trouble = explainPods("A copy of it", pods)?.reason;
  const unready = available === 0 ? ownWords`No copy of it is ready.` : null;
  const reason = trouble === undefined ? unready : new Masker([]).mask(trouble);
  return Array.from({ length: wantedCopies(program) }, (_, index) => ({
    name,
    origin: null,
    restarts: index === 0 ? restarts : 0,
    reason: index === 0 ? reason : null,
  }));
}
