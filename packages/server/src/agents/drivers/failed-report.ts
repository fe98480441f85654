import { isDiskFull } from "../../platform/disk-space.ts";
import { messageOf } from "../../platform/errors/index.ts";
import type { AgentReport, AgentRun } from "./driver.ts";
import { EventQueue } from "./event-queue.ts";

export type FailedReport = Extract<AgentReport, { is: "failed" }>;

export function failed(code: string, message: string): FailedReport {
  return { is: "failed", code, message };
}

/** A run that failed before it could start. */
export function failedRun(report: FailedReport): AgentRun {
  const events = new EventQueue();
  events.close();
  return { events, result: Promise.resolve(report), cancel: () => {} };
}

/** The failure of an agent whose code threw; a full disk is the machine's fault, and told apart. */
export function failedBy(error: unknown): FailedReport {
  return failed(isDiskFull(error) ? "no_space" : "agent_failed", messageOf(error));
}
