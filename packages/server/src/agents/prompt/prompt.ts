import {
  acceptanceLines,
  type CompleteSpec,
  describeCheck,
  type PlannedTask,
  restRole,
  type WorkPlan,
} from "@slipway/spec";
import { oneLine } from "../../platform/one-line.ts";
import { furtherSections, projectLines } from "./document-sections.ts";
import { breakdownPath, breakdownSection, isPlanning, planningSections } from "./planning-sections.ts";
import { cutTo, maxBytes, plain, section } from "./text.ts";

export interface PromptInput {
  readonly document: CompleteSpec;
  readonly task: PlannedTask;
  readonly plan: WorkPlan;
  /** Counts from 1. */
  readonly attempt: number;
  /** Why the attempt before this one failed. */
  readonly lastError?: string | undefined;
  /** Files that probably have to change. */
  readonly files?: readonly string[] | undefined;
  /** Set if an earlier process died during this attempt: whether the agent's changes survived. */
  readonly interrupted?: "changes kept" | "changes gone" | undefined;
}

export const maxPromptBytes = 64 * 1024;

/** The prompt for a task: what every agent is told. Deterministic, and at most `maxPromptBytes` long. */
export function promptFor(input: PromptInput): string {
  const { document, task, plan, attempt, lastError, interrupted } = input;
  const sections = [
    ...(interrupted === undefined ? [] : [goOn[interrupted]]),
    opening(input),
    ...(lastError === undefined ? [] : [earlierTry(attempt, lastError)]),
    section("The task", taskLines(input)),
    ...(isPlanning(task) ? [breakdownSection(document, plan)] : []),
    section("Rules", rules(input)),
    // A very large document loses its end from here on.
    ...(isPlanning(task) ? planningSections(document, plan) : [section("Acceptance", served(input))]),
    section("The project", projectLines(document)),
    ...furtherSections(document),
  ];
  return cutTo(
    maxPromptBytes,
    `${sections.join("\n\n")}\n`,
    "… (the rest was left out: the prompt would be too long)\n",
  );
}

const goOn: Readonly<Record<NonNullable<PromptInput["interrupted"]>, string>> = {
  "changes kept": "You were interrupted while you worked on this. Look at what is there already, go on, and finish it.",
  "changes gone":
    "You were interrupted while you worked on this, and the changes you had made are gone: the files are as they were in the beginning. Look at what is there, make your changes again, and finish it.",
};

function opening({ document, task }: PromptInput): string {
  const doing = isPlanning(task) ? "planning the work on" : `working as the ${oneLine(task.role, 60)} on`;
  return `You are ${doing} a software project: ${oneLine(document.name, 200)} (${document.outcome_type}). Nobody is there to answer questions: decide sensibly and go on until the task below is done.`;
}

function earlierTry(attempt: number, lastError: string): string {
  const which = attempt > 2 ? `Attempt ${attempt - 1}` : "An attempt before this one";
  return section("What went wrong before", [
    `${which} failed and its changes were thrown away. The reason:`,
    cutTo(maxBytes.error, plain(lastError)).replace(/^/gm, "> "),
    "Find out what led to it, and do it differently this time.",
  ]);
}

function taskLines({ task, plan, files = [] }: PromptInput): string[] {
  const phase = plan.phases.findIndex(({ name }) => name === task.phase);
  // It may depend on thousands of others.
  const titles = new Map(plan.tasks.map(({ id, title }) => [id, title]));
  const done = task.dependsOn.map((id) => titles.get(id) ?? id);
  return [
    `${oneLine(task.title, 300)} (id: ${oneLine(task.id, 100)})`,
    ...(task.description === undefined ? [] : ["", cutTo(maxBytes.description, plain(task.description)), ""]),
    `Phase: ${oneLine(task.phase, 100)}, ${phase + 1} of ${plan.phases.length}. Role: ${oneLine(task.role, 100)}.`,
    ...(done.length === 0 ? [] : [`Already done before it: ${oneLine(done.join("; "), 1000)}.`]),
    ...(files.length === 0
      ? []
      : [`Files that speak of it, the most likely ones first: ${oneLine(files.join(", "), 2000)}.`]),
  ];
}

/** The acceptance lines that the task serves, in words. */
function served({ document, task }: PromptInput): string[] {
  const byPointer = new Map(acceptanceLines(document).map((line) => [line.pointer, line]));
  const lines = task.serves.flatMap((pointer) => byPointer.get(pointer) ?? []);
  if (lines.length === 0) return ["No line of the project's acceptance hangs on this task alone."];
  const shown = lines.map(({ check }) => `- ${oneLine(describeCheck(check), 600)}`).join("\n");
  return ["The project is accepted only if these hold, which this task serves:", cutTo(maxBytes.acceptance, shown)];
}

function rules({ document, task, plan }: PromptInput): string[] {
  const kind = plan.phases.find(({ name }) => name === task.phase)?.kind;
  const isWork = kind === "work";
  const isDeploying = kind === "deployment";
  const secrets = document.secrets.required;
  return [
    "- The current folder is the project. Read and write only in it; nothing outside of it is kept.",
    "- Do not commit, and leave '.git' and the files of version control alone: your changes are collected when you end.",
    "- There may be no network. Where there is some, use it for nothing but what the task needs, such as packages.",
    "- Put no secret, key or password into a file, an output or a command line. Read them from variables at run time.",
    ...(secrets.length === 0
      ? []
      : [`- The software finds these variables set when it runs: ${oneLine(secrets.join(", "), 1000)}.`]),
    "- Start nothing that goes on running when you have ended: servers for a try are stopped again.",
    ...(isWork
      ? [
          "- Do this task and no other: other agents work on the rest, and changes to the same places collide.",
          "- Write tests for what you make, and run the project's scripts before you end, as far as they are there.",
        ]
      : []),
    isPlanning(task)
      ? `- You are done when '${breakdownPath}' is written. Change no other file.`
      : isDeploying
        ? "- The result was validated, and goes live as it is: change no file."
        : `- When you end, what counts is what you have changed: the difference is judged, the scripts are run and the acceptance is checked.${task.role === restRole ? "" : " To say that it is done without a change is a failure."}`,
  ];
}
