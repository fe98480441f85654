import type { EventData, EventName, EventRecord } from "@slipway/contract";
import { printable, printableLines } from "../output/printable.ts";
import { duration } from "../output/quantities.ts";
import type { Terminal } from "../output/terminal.ts";

type Colors = Terminal["colors"];

type Mark = "good" | "bad" | "news" | "notice";

interface Description {
  readonly mark: Mark;
  readonly text: string;
  /** Details after the text. */
  readonly facts?: readonly string[];
  readonly isBold?: boolean;
}

/** What people call what events name by ids. */
export interface Names {
  readonly titleOf: (taskId: string) => string;
  readonly agentName: (agentId: string) => string;
}

/** How each event is printed. */
const descriptions: {
  readonly [N in EventName]: (data: EventData<N>, names: Names) => Description;
} = {
  "project.created": ({ name }) => ({ mark: "news", text: `${printable(name)} was created`, isBold: true }),
  "project.started": ({ phase }) => ({ mark: "news", text: `Work started: ${printable(phase)}` }),
  "project.phase_completed": ({ phase, next_phase, artifacts }) => ({
    mark: "good",
    text: `Phase ${printable(phase)} completed`,
    facts: [
      ...(artifacts.length > 0 ? [`artifacts: ${[...new Set(artifacts.map(({ type }) => type))].join(", ")}`] : []),
      ...(next_phase === "" ? [] : [`next: ${next_phase}`]),
    ],
    isBold: true,
  }),
  "project.approval_required": ({ phase, environment, approvers, deadline }) => ({
    mark: "notice",
    text: `A person must approve before ${printable(phase)} starts`,
    facts: [
      ...(environment === "" ? [] : [environment]),
      `approvers: ${approvers.join(", ") || "administrators"}`,
      `until ${deadline}`,
    ],
  }),
  "project.deployed": ({ environment, version, url, usage = "" }) => ({
    mark: "good",
    text: environment === "" ? "Deployed" : `Deployed to ${printable(environment)}`,
    facts: [...(version === "" ? [] : [`version ${version}`]), ...(url === "" ? [printable(usage)] : [url])],
    isBold: true,
  }),
  "deployment.completed": ({ environment, version, url, usage = "" }) => ({
    mark: "good",
    text: `Deployed to ${printable(environment || "default")}`,
    facts: [`version ${version}`, ...(url === "" ? [printable(usage)] : [url])],
  }),
  "deployment.failed": ({ environment, version, error }) => ({
    mark: "bad",
    text: `Not deployed to ${printable(environment || "default")}: ${printableLines(error.message, indent)}`,
    facts: version === "" ? [] : [`version ${version}`],
  }),
  "deployment.unhealthy": ({ version, reason }) => ({
    mark: "bad",
    text: `Unhealthy: ${printableLines(reason, indent)}`,
    facts: [`version ${version}`],
  }),
  "deployment.recovered": ({ version, url }) => ({
    mark: "good",
    text: "Healthy again",
    facts: [`version ${version}`, url],
  }),
  "deployment.rolled_back": ({ version, from_version, reason }) => ({
    mark: "notice",
    text: `Rolled back from version ${from_version} to ${version}: ${printableLines(reason, indent)}`,
  }),
  "project.failed": ({ error, phase }) => ({
    mark: "bad",
    text: `Failed${phase === "" ? "" : ` in ${printable(phase)}`}: ${printableLines(error.message, indent)}`,
    isBold: true,
  }),
  "project.restarted": ({ from_phase }) => ({ mark: "news", text: `Restarted from ${printable(from_phase)}` }),
  "project.rolled_back": ({ checkpoint }) => ({
    mark: "news",
    text: `Rolled back to checkpoint ${printable(checkpoint)}`,
  }),
  "agent.task_completed": ({ task_id, phase, role, agent_id, duration_ms }, { titleOf, agentName }) => ({
    mark: "good",
    text: printable(titleOf(task_id)),
    facts: [phase, role, agentName(agent_id), duration(duration_ms)],
  }),
  "agent.task_failed": ({ task_id, phase, role, agent_id, duration_ms, error }, { titleOf, agentName }) => ({
    mark: "bad",
    text: `${printable(titleOf(task_id))}: ${printableLines(error.message, indent)}`,
    facts: [phase, role, agentName(agent_id), duration(duration_ms)],
  }),
  "security.issue_detected": ({ rule_id, severity, path, line, message, remedy }) => ({
    mark: "notice",
    text: `${printable(path)}:${line}: ${printable(message)}`,
    facts: [severity, rule_id, ...(remedy === "" ? [] : [remedy])],
  }),
};

const marks = { good: "✓", bad: "✗", news: "●", notice: "!" } as const satisfies Record<Mark, string>;
const indent = " ".repeat("09:30:00  ✓ ".length);

/** An event as a line: time, mark, text and details. */
export function eventLine(event: EventRecord, names: Names, colors: Colors): string {
  const { mark, text, facts = [], isBold = false } = describe(event, names);
  const paint = { good: colors.green, bad: colors.red, news: colors.cyan, notice: colors.yellow }[mark];
  const details = facts.filter(Boolean).map((fact) => printable(fact));
  return [
    `${colors.dim(timeOf(event.timestamp))}  ${paint(marks[mark])} ${isBold ? colors.bold(text) : text}`,
    ...(details.length > 0 ? [colors.dim(details.join(" · "))] : []),
  ].join("  ");
}

function describe({ event, data }: EventRecord, names: Names): Description {
  // A newer service may send events that this command does not know.
  const known = descriptions[event as EventName] as ((data: unknown, names: Names) => Description) | undefined;
  return known?.(data, names) ?? { mark: "news", text: printable(event) };
}

function timeOf(timestamp: string): string {
  const time = new Date(timestamp);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
