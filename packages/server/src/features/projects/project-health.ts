import type { Project, ProjectHealth } from "@slipway/contract";

/** Longer than any step is silent: agents time out after half an hour by default. */
const maxSilentMs = 30 * 60_000;

/** How a project is, from what the API shows of it. */
export function projectHealth(project: Project, nowMs: number): Pick<ProjectHealth, "health" | "reason"> {
  const { status, waiting_for, error, deployment, updated_at } = project;
  if (status === "failed") return { health: "failed", reason: error?.message ?? "It failed." };
  if (deployment?.status === "unhealthy")
    return {
      health: "unhealthy",
      reason: `Version ${deployment.version} in ${deployment.environment} does not answer.`,
    };
  if (status === "deployed") return { health: "well", reason: null };
  if (waiting_for !== null && waiting_for !== "agent")
    return { health: "waiting", reason: `It waits: ${waiting_for}.` };
  const silentMs = nowMs - Date.parse(updated_at);
  if (silentMs <= maxSilentMs) return { health: "well", reason: null };
  const wait = waiting_for === "agent" ? " No agent was free." : "";
  return { health: "stalled", reason: `It has not changed for ${Math.floor(silentMs / 60_000)} minutes.${wait}` };
}
