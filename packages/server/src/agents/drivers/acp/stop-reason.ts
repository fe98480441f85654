import type { StopReason } from "@agentclientprotocol/sdk";
import { type FailedReport, failed } from "../failed-report.ts";

/** The failure that a stop reason means; undefined if the agent says that it is done. */
export function failureOf(stopReason: StopReason | undefined): FailedReport | undefined {
  switch (stopReason) {
    case "end_turn":
      return undefined;
    case "refusal":
      return failed("agent_refused", "The agent refused to continue the task.");
    case "max_tokens":
      return failed("agent_tokens", "The agent stopped because its model's token limit was reached.");
    case "max_turn_requests":
      return failed("agent_steps", "The agent stopped because it had asked its model as often as it may in one turn.");
    case "cancelled":
      return failed("agent_cancelled", "The agent was asked to stop before it was done.");
  }
  const reason = typeof stopReason === "string" ? `for an unknown reason: ${String(stopReason)}` : "without a reason";
  return failed("agent_protocol", `The agent stopped ${reason}.`);
}
