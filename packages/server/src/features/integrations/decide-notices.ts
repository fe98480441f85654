import type { EventData, EventName, VerdictCounts } from "@slipway/contract";
import { type CompleteSpec, fillTemplate, type TemplateName } from "@slipway/spec";
import type { NewNotice } from "./notice.ts";

/** An event of a project, with everything that a notice may mention. */
export interface ProjectEvent {
  readonly name: EventName;
  readonly data: Readonly<Record<string, unknown>>;
  readonly projectId: string;
  readonly document: Pick<CompleteSpec, "name" | "metadata">;
  /** The tasks of the plan, as far as there is one. */
  readonly tasks: readonly {
    readonly id: string;
    readonly phase: string;
    readonly title: string;
    readonly description?: string;
  }[];
  /** The project's page. */
  readonly projectUrl: string;
}

type Integrations = NonNullable<NonNullable<CompleteSpec["metadata"]>["integrations"]>;
type Slack = NonNullable<Integrations["slack"]>;
type Jira = NonNullable<Integrations["jira"]>;
type Switch = keyof Slack["notifications"];

/** The switch that an event belongs to, and the text where the document has none. */
const messages: Partial<Record<EventName, readonly [Switch, string]>> = {
  "project.started": ["project_started", "*{{project.name}}* has started."],
  "project.phase_completed": ["phase_completed", "*{{project.name}}*: {{phase}} is complete."],
  "project.deployed": ["deployment_successful", "*{{project.name}}* is live: {{url}}"],
  "deployment.completed": ["deployment_successful", "*{{project.name}}* is live in {{environment}}: {{url}}"],
  "project.failed": ["errors", "*{{project.name}}* failed in {{phase}}: {{error}}"],
};

/** Slack shows no more than this of a message. */
const maxMessage = 4_000;
const maxSummary = 250;
const maxDescription = 30_000;

/** The notices that follow from an event. Pure: the same event always gives the same notices. */
export function decideNotices(event: ProjectEvent): readonly NewNotice[] {
  const { slack, jira } = event.document.metadata?.integrations ?? {};
  return [
    ...(slack?.webhook_url === undefined ? [] : slackNotices(slack, event)),
    ...(jira?.instance_url === undefined || !jira.create_tickets ? [] : jiraNotices(jira, event)),
  ];
}

function slackNotices(slack: Slack, event: ProjectEvent): NewNotice[] {
  const [name, usual] = messages[event.name] ?? [];
  if (name === undefined || usual === undefined || !slack.notifications[name]) return [];
  const template = slack.message_templates?.[name] ?? usual;
  // A value must not become a mention, a link or a command in Slack.
  const filled = fillTemplate(template, (key) => valueFor(event, key)?.replace(/[&<>]/g, (sign) => slackSigns[sign]!));
  const { checks } = event.data as EventData<"project.deployed" | "project.failed">;
  const text = filled + describeChecks(checks);
  const channel = slack.channel === undefined ? {} : { channel: slack.channel };
  return [{ target: "slack", action: { is: "message", text: shorten(text, maxMessage), ...channel } }];
}

/** How many lines of the document hold, for events that say so. */
function describeChecks(checks: VerdictCounts | undefined): string {
  if (checks === undefined) return "";
  const { passed, failed, not_checked } = checks;
  return ` Checks: ${passed} passed, ${failed} failed, ${not_checked} not checked.`;
}

const slackSigns: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function jiraNotices(jira: Jira, event: ProjectEvent): NewNotice[] {
  const { name, data, tasks } = event;
  const comment = (subject: string, text: string, isDone: boolean): NewNotice => ({
    target: "jira",
    action: { is: "comment_ticket", subject, text, isDone },
  });
  switch (name) {
    case "project.started":
      return [ticket(jira, event, "", event.document.name)];
    case "project.phase_completed": {
      const { phase } = data as EventData<"project.phase_completed">;
      // Planning itself is over by now.
      const toDo = phase === "planning" ? tasks.filter((task) => task.phase !== phase) : [];
      const made = toDo.map(({ id, title }) => ticket(jira, event, id, title));
      return [comment("", `The phase ${quoted(phase)} is complete.`, false), ...made];
    }
    case "agent.task_completed": {
      const { task_id, agent_id } = data as EventData<"agent.task_completed">;
      return [comment(task_id, `Done by ${agent_id}.`, true)];
    }
    case "project.deployed": {
      const { url, version, checks } = data as EventData<"project.deployed">;
      return [comment("", `Version ${version} is live${url === "" ? "" : `: ${url}`}.${describeChecks(checks)}`, true)];
    }
    case "project.failed": {
      const { error, phase, checks } = data as EventData<"project.failed">;
      const failed = `Failed in ${quoted(phase)}:\n${quoted(error.message)}${describeChecks(checks)}`;
      return [comment("", failed, false)];
    }
    default:
      return [];
  }
}

/** A ticket for a task, or without a subject for the project. */
function ticket({ ticket_template: written }: Jira, event: ProjectEvent, subject: string, title: string): NewNotice {
  const task = event.tasks.find(({ id }) => id === subject);
  const lookUp = (key: string) => (key === "task" ? title : valueFor(event, key));
  const usual = { summary: title, description: [task?.description, event.projectUrl].filter(Boolean).join("\n\n") };
  const texts = typeof written === "string" ? { description: written } : (written ?? {});
  const filled = Object.entries(texts).map(([field, text]) => [field, fillTemplate(text, lookUp)]);
  const fields = { ...usual, ...(Object.fromEntries(filled) as Record<string, string>) };
  return {
    target: "jira",
    action: {
      is: "create_ticket",
      subject,
      fields: {
        ...fields,
        summary: shorten(fields.summary.replace(/\s+/g, " ").trim() || event.document.name, maxSummary),
        description: shorten(fields.description, maxDescription),
      },
    },
  };
}

/** The value of a name in a template; undefined if it has none here. */
function valueFor(
  { name, data, document, projectId, projectUrl, tasks }: ProjectEvent,
  key: string,
): string | undefined {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const values: Record<TemplateName, () => string> = {
    "project.id": () => projectId,
    "project.name": () => document.name,
    "project.status": () => statusAfter(name),
    "project.url": () => projectUrl,
    phase: () => text(data["phase"]),
    next_phase: () => text(data["next_phase"]),
    environment: () => text(data["environment"]),
    version: () => text(data["version"]),
    url: () => text(data["url"]),
    task: () => tasks.find(({ id }) => id === data["task_id"])?.title ?? text(data["task_id"]),
    agent: () => text(data["agent_id"]),
    error: () => text((data["error"] as { message?: unknown } | undefined)?.message),
  };
  return Object.hasOwn(values, key) ? values[key as TemplateName]() : undefined;
}

function statusAfter(name: EventName): string {
  if (name === "project.deployed" || name === "deployment.completed") return "deployed";
  return name === "project.failed" ? "failed" : "running";
}

/** Literal text: Jira reads no markup in it, and it mentions nobody. */
function quoted(text: string): string {
  return `{noformat}${text.replaceAll("{noformat}", "")}{noformat}`;
}

function shorten(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
