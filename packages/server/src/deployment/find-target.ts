import type { CompleteSpec } from "@slipway/spec";

/** A request of the document about where it is deployed that nothing here serves. */
export interface UnservedRequest {
  readonly pointer: string;
  readonly reason: string;
}

/** What runs deployed software here, by the names that documents use. */
const servedOrchestrators = ["process", "local"];
const servedPlatforms = ["local", "process", "linux", "self-hosted"];

/**
 * What the document asks for that no adapter serves: it is not deployed elsewhere in silence. A document with its own
 * `scripts.deploy` knows where it goes.
 */
export function unservedRequests({
  deployment,
  scripts,
}: Pick<CompleteSpec, "deployment" | "scripts">): UnservedRequest[] {
  if (deployment === undefined || scripts?.deploy !== undefined) return [];
  const { orchestrator, platforms = [] } = deployment;
  const unserved: UnservedRequest[] = [];
  if (orchestrator !== undefined && !servedOrchestrators.includes(orchestrator.toLowerCase()))
    unserved.push({
      pointer: "/deployment/orchestrator",
      reason: `No adapter deploys with '${orchestrator}'. Say 'process', or give scripts.deploy.`,
    });
  if (platforms.length > 0 && !platforms.some((name) => servedPlatforms.includes(name.toLowerCase())))
    unserved.push({
      pointer: "/deployment/platforms",
      reason: `No adapter deploys to ${platforms.map((name) => `'${name}'`).join(", ")}. Add 'local', or give scripts.deploy.`,
    });
  return unserved;
}
