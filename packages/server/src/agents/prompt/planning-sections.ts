import {
  acceptanceLines,
  type CompleteSpec,
  describeCheck,
  limits,
  type PlannedTask,
  taskIdOf,
  type WorkPlan,
  writeTaskBreakdown,
} from "@slipway/spec";
import { oneLine } from "../../platform/one-line.ts";
import { cutTo, maxBytes, section } from "./text.ts";

/** The file in its folder into which a planner writes its tasks. */
export const breakdownPath = ".slipway/tasks.yaml";

/** Only the task that makes the plan is in this phase. */
export function isPlanning({ phase }: PlannedTask): boolean {
  return phase === "planning";
}

/** What `tasks.yaml` must look like. */
export function breakdownSection(document: CompleteSpec, plan: WorkPlan): string {
  return section("What to write", format(document, plan));
}

/** What the tasks must cover, and what follows from the document without a planner. */
export function planningSections(document: CompleteSpec, plan: WorkPlan): string[] {
  return [
    section("Acceptance that tasks must serve", [cutTo(maxBytes.acceptance, acceptance(document).join("\n"))]),
    section("What follows from the document alone", [
      "Take it as a start, and make it better: split what is too large, add what is missing.",
      cutTo(maxBytes.breakdown, writeTaskBreakdown(plan).replace(/^#.*\n/, "")),
    ]),
  ];
}

function format(document: CompleteSpec, { phases }: WorkPlan): string[] {
  const open = phases.filter(({ kind }) => kind !== "planning");
  const work = open.filter(({ kind }) => kind === "work").map(({ name }) => name);
  const required = (document.tasks ?? []).flatMap(({ id, title }) => taskIdOf({ id, title }) ?? []);
  const roles = [
    ...new Set(["implementer", "reviewer", "deployer", ...Object.keys(document.requirements?.agents ?? {})]),
  ];
  return [
    `Break the work into tasks, and write them to '${breakdownPath}' in the current folder, in place of what may be there, as YAML: a map with the one key 'tasks', a list of maps with these keys.`,
    "- id: unique; letters, digits and '-'. Required.",
    "- title: what is to be done, in a few words. Required.",
    `- phase: one of ${oneLine(open.map(({ name }) => name).join(", "), 1000)}. Required.`,
    "- description: what is to be done, in full; whoever does the task reads only this and the document.",
    `- role: who does it; one of ${oneLine(roles.join(", "), 500)}. Absent: the one of the phase.`,
    "- depends_on: ids of tasks that must be done before it, of the same phase or of one that is complete before. No circles.",
    "- estimated_hours: a number above 0. Absent: 1.",
    "- serves: JSON Pointers to the lines of acceptance below that it serves.",
    "Rules:",
    "- A task is what one agent does in one sitting; those that do not wait for each other are done side by side, so keep them apart in the files they touch.",
    `- Each of these phases has a task: ${oneLine(work.join(", "), 1000)}.`,
    "- The tasks 'plan', 'validate' and 'deploy' are built in: they must not be in the list, nor in a 'depends_on'.",
    ...(required.length === 0
      ? []
      : [
          `- The document itself names these tasks; each must be there by its id: ${oneLine(required.join(", "), 2000)}.`,
        ]),
    "- Each line of acceptance is in the 'serves' of a task.",
    `- At most ${limits.planTasks} tasks; far fewer is better.`,
  ];
}

function acceptance(document: CompleteSpec): string[] {
  return acceptanceLines(document).map(({ pointer, phase, check }) => {
    const when = phase === undefined ? "" : ` (at the end of ${oneLine(phase, 100)})`;
    return `- ${pointer}${when}: ${oneLine(describeCheck(check), 300)}`;
  });
}
