/** The tabs of a project's page, in their order, by their names in its address. */
export const tabNames = {
  work: "Work",
  timeline: "Timeline",
  acceptance: "Acceptance",
  logs: "Logs",
  tests: "Tests",
  security: "Security",
  artifacts: "Artifacts",
  events: "Events",
  document: "Document",
  costs: "Costs",
} as const;

export type TabName = keyof typeof tabNames;

/** The address of a tab. */
export function tabHref(projectId: string, tab: TabName): string {
  return `/projects/${projectId}${tab === "work" ? "" : `?tab=${tab}`}`;
}
