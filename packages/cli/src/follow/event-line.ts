import type { EventData, EventName, EventRecord } from "@slipway/contract";
import { printable, printableLines } from "../output/printable.ts";
import { duration } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";

type Colors = Terminal["colors"];

type Mark = "good" | "bad" | "news" | "notice";

interface Told {
  readonly mark: Mark;
  /** The gist. */
  readonly text: string;
  /** What belongs to it. */
  readonly facts?: readonly string[];
  readonly isWeighty?: boolean;
}

/** What each event is to a person who watches. */
const tell: { readonly [N in EventName]: (data: EventData<N>, titleOf: (taskId: string) => string) => Told } = {
  "project.created": ({ name }) => ({ mark: "news", text: `${printable(name)} is created`, isWeighty: true }),
  "project.started": ({ phase }) => ({ mark: "news", text: `Work has begun: ${printable(phase)}` }),
  "project.phase_completed": ({ phase, next_phase, artifacts }) => ({
    mark: "good",
    text: `Phase ${printable(phase)} is completed`,
    facts: [
      ...(artifacts.length > 0 ? [`artifacts: ${artifacts.map(({ type }) => type).join(", ")}`] : []),
      ...(next_phase === "" ? [] : [`next: ${next_phase}`]),
    ],
    isWeighty: true,
  }),
  "project.approval_required": ({ phase, environment, approvers, deadline }) => ({
    mark: "notice",
    text: `A person must approve before ${printable(phase)} starts`,
    facts: [
      ...(environment === "" ? [] : [environment]),
      approvers.length === 0 ? "administrators may" : `may: ${approvers.join(", ")}`,
      `until ${deadline}`,
    ],
  }),
  "project.deployed": ({ environment, version, url }) => ({
    mark: "good",
    text: environment === "" ? "Deployed" : `Deployed to ${printable(environment)}`,
    facts: [...(version === "" ? [] : [`version ${version}`]), ...(url === "" ? [] : [url])],
    isWeighty: true,
  }),
  "project.failed": ({ error, phase }) => ({
    mark: "bad",
    text: `Failed${phase === "" ? "" : ` in ${printable(phase)}`}: ${printableLines(error.message, indent)}`,
    isWeighty: true,
  }),
  "project.restarted": ({ from_phase }) => ({ mark: "news", text: `Starts over from ${printable(from_phase)}` }),
  "project.rolled_back": ({ checkpoint }) => ({ mark: "news", text: `Back at checkpoint ${printable(checkpoint)}` }),
  "agent.task_completed": ({ task_id, phase, role, agent_id, duration_ms }, titleOf) => ({
    mark: "good",
    text: printable(titleOf(task_id)),
    facts: [phase, role, agent_id, duration(duration_ms)],
  }),
  "agent.task_failed": ({ task_id, phase, role, agent_id, duration_ms, error }, titleOf) => ({
    mark: "bad",
    text: `${printable(titleOf(task_id))}: ${printableLines(error.message, indent)}`,
    facts: [phase, role, agent_id, duration(duration_ms)],
  }),
  "security.issue_detected": ({ rule_id, severity, path, line, message, remedy }) => ({
    mark: "notice",
    text: `${printable(path)}:${line}: ${printable(message)}`,
    facts: [severity, rule_id, ...(remedy === "" ? [] : [remedy])],
  }),
};

const marks = { good: "✓", bad: "✗", news: "●", notice: "!" } as const satisfies Record<Mark, string>;
const indent = " ".repeat("09:30:00  ✓ ".length);

/** An event as a line: when, how it went, what, who and how long. */
export function eventLine(event: EventRecord, titleOf: (taskId: string) => string, colors: Colors): string {
  const { mark, text, facts = [], isWeighty = false } = describe(event, titleOf);
  const paint = { good: colors.green, bad: colors.red, news: colors.cyan, notice: colors.yellow }[mark];
  const shown = facts.filter(Boolean).map((fact) => printable(fact));
  return [
    `${colors.dim(timeOf(event.timestamp))}  ${paint(marks[mark])} ${isWeighty ? colors.bold(text) : text}`,
    ...(shown.length > 0 ? [colors.dim(shown.join(" · "))] : []),
  ].join("  ");
}

function describe({ event, data }: EventRecord, titleOf: (taskId: string) => string): Told {
  // A newer service may know more than we do.
  const known = tell[event as EventName] as ((data: unknown, titleOf: (taskId: string) => string) => Told) | undefined;
  return known?.(data, titleOf) ?? { mark: "news", text: printable(event) };
}

function timeOf(timestamp: string): string {
  const time = new Date(timestamp);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
