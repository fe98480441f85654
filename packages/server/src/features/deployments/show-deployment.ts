import { type Deployment, type Release, topLevelEnvironment } from "@slipway/contract";
import { type DeploymentRow, deploymentStatus, deploymentUrl } from "../../deployment/index.ts";
import type { Database, Transaction } from "../../platform/database/index.ts";
import { type ShownRelease, selectLastErrors, selectShownReleases } from "./store.ts";

export interface ShowDeps {
  readonly db: Database;
  /** Where deployed software listens. */
  readonly addressHost: string;
}

/** Deployments as the API shows them, with the version that is live of each. */
export async function showDeployments(
  { db, addressHost }: { readonly db: Database | Transaction; readonly addressHost: string },
  rows: readonly DeploymentRow[],
): Promise<Deployment[]> {
  const ids = rows.flatMap(({ release_id }) => release_id ?? []);
  const releases = new Map((await selectShownReleases(db, { ids })).map((release) => [release.id, release]));
  const neverLive = rows.filter(({ release_id }) => release_id === null).map(({ id }) => id);
  const errors = await selectLastErrors(db, neverLive);
  return rows.map((row) =>
    showDeployment(row, { addressHost, release: releases.get(row.release_id ?? ""), lastError: errors.get(row.id) }),
  );
}

interface Known {
  readonly addressHost: string;
  readonly release: ShownRelease | undefined;
  /** Why the newest version failed, where none was ever live. */
  readonly lastError: string | undefined;
}

function showDeployment(row: DeploymentRow, { addressHost, release, lastError }: Known): Deployment {
  const status = deploymentStatus(row, release);
  const hasFailed = status === "starting" && lastError !== undefined;
  return {
    deployment_id: row.id,
    application_id: row.application_id,
    environment: environmentName(row.environment),
    status: hasFailed ? "unhealthy" : status,
    reason: hasFailed ? lastError : status === "unhealthy" ? row.reason : null,
    url: release?.plan == null ? null : deploymentUrl(addressHost, row.port),
    usage: release?.usage ?? "",
    replicas: row.replicas,
    release: release === undefined ? null : showRelease(release),
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

/** A version as the API shows it. */
export function showRelease(row: ShownRelease): Release {
  const { id, number, version, project_id, kind, usage, strategy, status, error, checks, traffic } = row;
  return {
    ...{ release_id: id, number, version, project_id, kind, usage, strategy, status, error, checks, traffic },
    digest: row.artifact?.digest ?? null,
    created_at: row.created_at.toISOString(),
    live_at: row.live_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
  };
}

/** The name of an environment in the API; the top level of a document has none of its own. */
export function environmentName(environment: string): string {
  return environment === "" ? topLevelEnvironment : environment;
}
