import type { Project } from "@slipway/contract";
import type { ProjectRow } from "./store.ts";

/** A project as the API shows it. */
export function showProject(row: ProjectRow): Project {
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
  };
}

/** The version of a project, from which its ETag is made. */
export function versionOf({ version }: Pick<ProjectRow, "version">): string {
  return String(version);
}
