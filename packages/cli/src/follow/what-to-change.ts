import type { Project } from "@slipway/contract";
import type { Connection } from "../connection/connect.ts";

/** What each failure asks its reader to change, by its code. */
const changes: Readonly<Record<string, string>> = {
  acceptance_failed: "Change the lines above, or what the document asks for there; then run it again.",
  verification_failed: "Change the lines above, or what the document asks for there; then run it again.",
  not_checked:
    "Nobody could check a line that must be checked: word it so that a rule can, or name an agent that reviews.",
  review_refused: "Change what the review objects to in the document, or in the files with 'slipway source'.",
  approval_denied: "Fix what was objected to, then run the document again.",
  deployment_failed:
    "Change what the message names: the script or what it needs, or the document's deployment; then run it again.",
  empty_result: "The agent wrote no files: say more in the description, or reassign the role to another agent.",
  nothing_changed:
    "The agent changed nothing: say more in the task's description, or reassign the role to another agent.",
  invalid_plan: "The planner's breakdown is not valid: write the phases into the document, or reassign the planner.",
  merge_conflict: "Two tasks changed the same lines: let one depend on the other with depends_on.",
  sandbox_missing: "Install bubblewrap, or let an operator set 'sandbox: none' ('slipway doctor' says more).",
  agent_unknown: "Declare the agent that the document names in slipway.yaml, or leave the choice to the service.",
  agent_timeout: "Raise timeouts.implementation_minutes in the document, or split the task.",
  agent_stalled: "The agent wrote nothing for too long: look at its output, or reassign the role to another agent.",
  agent_memory: "Raise resources.memory_gb in the document.",
  agent_budget: "Raise the budget that the message names, or split the task.",
};

/** What to change after a failure, and the commands that show more. */
export function whatToChange({ project_id, error }: Project, { commandLine }: Connection): string[] {
  const { code = "", phase, task_id } = error ?? {};
  const again = phase === undefined ? [] : [commandLine("projects", "restart", project_id, "--from-phase", phase)];
  if (code === "no_agents_available")
    return ["No agent has these capabilities: add one that does, or change requirements.agents; then run", ...again];
  if (code === "regeneration_conflict") {
    return [
      `To get its files: ${commandLine("source", "get", project_id, "DIR")}`,
      "Resolve the conflict markers in them, then run the document again with --source DIR.",
    ];
  }
  if (code === "cancelled") return ["The project was cancelled. To restart it:", ...again];
  const advice = changes[code] === undefined ? [] : [changes[code]];
  if (task_id === undefined) return [...advice, `To see its status: ${commandLine("projects", "show", project_id)}`];
  return [
    ...advice,
    `To see its output: ${commandLine("logs", project_id, "--task", task_id)}`,
    `To see all attempts: ${commandLine("projects", "show", project_id)}`,
    `To retry the task: ${commandLine("projects", "retry", project_id, "--task-id", task_id)}`,
  ];
}
