import type { Agent, TotalUsage } from "@slipway/contract";
import {
  type AgentActivity,
  type AgentRow,
  selectAgentUsage,
  selectUserNames,
  showStatus,
} from "../../agents/index.ts";
import type { Database } from "../../platform/database/index.ts";
import { type Principal, readsAllProjects } from "../../platform/http/index.ts";
import { selectReadable } from "../projects/index.ts";
import { readActivity, readHistory } from "./read-activity.ts";

/** Of an agent without runs: complete, because no run lacks a report. */
const nothingUsed: TotalUsage = { input_tokens: null, output_tokens: null, cost_usd: null, is_complete: true };

/** Agents as the API shows them to the caller. */
export async function showAgents(db: Database, rows: readonly AgentRow[], principal: Principal): Promise<Agent[]> {
  const ids = rows.map(({ id }) => id);
  const makers = rows.flatMap(({ registered_by }) => registered_by ?? []);
  // One after the other: a transaction has one connection.
  const activities = await readActivity(db, ids);
  const histories = await readHistory(db, activities);
  const usages = await selectAgentUsage(db, ids);
  const names = await selectUserNames(db, makers);
  const mayRead = await readable(db, activities, principal);
  return rows.map(({ id, name, kind, capabilities, url, slots, registered_by, created_at }) => {
    const activity = activities.find((one) => one.id === id)!;
    return {
      ...showStatus(activity, mayRead),
      name,
      kind,
      capabilities,
      slots: slots ?? activity.slots,
      utilization_history: histories.get(id)!,
      problem: activity.problem,
      version: activity.version,
      url,
      registered_by: registered_by === null ? null : (names.get(registered_by) ?? registered_by),
      usage: usages.get(id) ?? nothingUsed,
      created_at: created_at.toISOString(),
    };
  });
}

/** Tells whether the caller may see that an agent works for a project. */
export async function readable(
  db: Database,
  activities: readonly AgentActivity[],
  principal: Principal,
): Promise<(projectId: string) => boolean> {
  if (readsAllProjects(principal)) return () => true;
  const projects = activities.flatMap(({ running }) => running.map(({ projectId }) => projectId));
  const allowed = await selectReadable(db, projects, principal);
  return (projectId) => allowed.has(projectId);
}
