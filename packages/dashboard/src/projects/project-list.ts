import type { ProjectChange } from "@slipway/client";
import type { Project, ProjectStatus } from "@slipway/contract";

/** The statuses in words. Not from the contract: its schemas would be most of what a browser loads. */
export const statusWords: Readonly<Record<ProjectStatus, string>> = {
  specification: "Queued",
  planning: "Planning",
  implementation: "Implementation",
  validation: "Validation",
  deployment: "Deployment",
  deployed: "Deployed",
  failed: "Failed",
};

/** What of the list somebody wants to see; it stands in the page's address. */
export interface Filter {
  readonly q: string;
  readonly status: Project["status"] | "";
}

export function readFilter(query: URLSearchParams): Filter {
  const status = query.get("status") ?? "";
  return { q: query.get("q") ?? "", status: status in statusWords ? (status as ProjectStatus) : "" };
}

/** What of the list was read: all of it, or as far as the oldest that is here. */
export interface Listed {
  readonly projects: readonly Project[];
  readonly next: string | null;
}

/** The list after a change: in place where it is; what is new stands by its age, however the changes are ordered. */
export function applyChange(
  { projects, next }: Listed,
  change: Exclude<ProjectChange, { kind: "ready" }>,
  filter: Filter,
): readonly Project[] {
  const id = change.kind === "gone" ? change.projectId : change.project.project_id;
  const at = projects.findIndex((one) => one.project_id === id);
  if (change.kind === "gone" || !matches(change.project, filter))
    return at === -1 ? projects : projects.toSpliced(at, 1);
  if (at !== -1) return projects.with(at, change.project);
  // Ids sort by time, newest first.
  const place = projects.findIndex((one) => one.project_id < id);
  if (place !== -1) return projects.toSpliced(place, 0, change.project);
  // Older than all that are here: it stands at the end, or on a page that was not read yet.
  return next === null ? [...projects, change.project] : projects;
}

function matches({ name, document_id, status }: Project, { q, status: wanted }: Filter): boolean {
  if (wanted !== "" && status !== wanted) return false;
  const text = q.toLowerCase();
  return name.toLowerCase().includes(text) || document_id.toLowerCase().includes(text);
}
