import { type Project, topLevelEnvironment } from "@slipway/contract";
import { deploymentStatus, deploymentUrl } from "../../deployment/index.ts";
import type { ApplicationRow, LiveRow, OwnedRow, ProjectRow } from "./store.ts";

/** A project as the API shows it. */
export function showProject(row: ProjectRow & { readonly owner_name?: string }): Project {
  return {
    project_id: row.id,
    name: row.name,
    status: row.status,
    progress: row.progress,
    current_phase: row.current_phase,
    agents: row.agents,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
    application_id: row.application_id,
    document_id: row.document_id,
    outcome_type: row.outcome_type,
    environment: row.environment,
    waiting_for: row.waiting_for,
    checks: (row.state as { readonly checks?: Project["checks"] } | null)?.checks ?? null,
    error: row.error,
    ...(row.owner_name !== undefined && { owner: row.owner_name }),
  };
}

/** A project as the API shows it where it is read alone: with what is live of it. */
export function showWithLive(row: OwnedRow & { readonly live: LiveRow | null }, addressHost: string): Project {
  return { ...showProject(row), deployment: row.live === null ? null : showLive(row.live, addressHost) };
}

function showLive(live: LiveRow, addressHost: string): NonNullable<Project["deployment"]> {
  const { deployment_id, environment, version, usage } = live;
  return {
    deployment_id,
    environment: environment === "" ? topLevelEnvironment : environment,
    version,
    url: live.is_run ? deploymentUrl(addressHost, live) : null,
    usage,
    status: deploymentStatus(live, live),
  };
}

/** An application as the API shows it. */
export function showApplication({ id, created_at, updated_at, ...rest }: ApplicationRow) {
  return {
    application_id: id,
    ...rest,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  };
}

/** The version of a project, from which its ETag is made. */
export function versionOf({ version }: Pick<ProjectRow, "version">): string {
  return String(version);
}

/** The version of a project with what is live of it, which changes by itself. */
export function versionWithLive({
  version,
  live,
}: {
  readonly version: number;
  readonly live: LiveRow | null;
}): string {
  return live === null ? String(version) : `${version}-${live.row_version}`;
}
