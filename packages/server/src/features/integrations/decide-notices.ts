import type { EventData, EventName, VerdictCounts } from "@slipway/contract";
import { type CompleteSpec, fillTemplate, type TemplateName } from "@slipway/spec";
import { oneLine, shortened } from "../../platform/one-line.ts";
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
  "deployment.failed": ["errors", "*{{project.name}}*: the deployment to {{environment}} failed: {{error}}"],
  "project.failed": ["errors", "*{{project.name}}* failed in {{phase}}: {{error}}"],
};

/** Programs may have been switched back all the same: which version is live, the event does not tell. */
const rollbackFailed = "*{{project.name}}*: a script of the rollback in {{environment}} failed: {{error}}";

/** The events that a notice can follow from. */
export const noticedEvents: ReadonlySet<string> = new Set([...Object.keys(messages), "agent.task_completed"]);

/** Slack shows no more than this of a message. */
const maxMessage = 4_000;
const maxSummary = 250;
const maxDescription = 30_000;
/** Leaves room for what ends a quotation, and for the project's address. */
const maxQuoted = 29_000;
/** A plan may have thousands of tasks, and each has its ticket: a template is bounded as a whole, as it is written and filled. */
const maxTemplate = 30_000;
const fieldCost = 100;

/** The notices that follow from an event, one by one: they may be thousands. Pure: the same event always gives the same. */
export function* decideNotices(event: ProjectEvent): Generator<NewNotice> {
  const { slack, jira } = event.document.metadata?.integrations ?? {};
  if (slack?.webhook_url !== undefined) yield* slackNotices(slack, event);
  if (jira?.instance_url !== undefined && jira.create_tickets) yield* jiraNotices(jira, event);
}

function slackNotices(slack: Slack, event: ProjectEvent): NewNotice[] {
  const [name, usual] = messages[event.name] ?? [];
  if (name === undefined || usual === undefined || !slack.notifications[name]) return [];
  const template = slack.message_templates?.[name] ?? (isOfRollback(event) ? rollbackFailed : usual);
  const lookUp = lookUpIn(event);
  const filled = fillTemplate(shortened(template, maxTemplate), (key) => plainInSlack(lookUp(key)), maxMessage);
  const { checks } = event.data as EventData<"project.deployed" | "project.failed">;
  const text = filled + describeChecks(checks);
  const channel = slack.channel === undefined ? {} : { channel: slack.channel };
  return [{ target: "slack", action: { is: "message", text: shortened(text, maxMessage), ...channel } }];
}

function isOfRollback({ name, data }: ProjectEvent): boolean {
  return (
    name === "deployment.failed" && (data as EventData<"deployment.failed">).error.code === "rollback_script_failed"
  );
}

/** How many lines of the document hold, for events that say so. */
function describeChecks(checks: VerdictCounts | undefined): string {
  if (checks === undefined) return "";
  const { passed, failed, not_checked } = checks;
  return ` Checks: ${passed} passed, ${failed} failed, ${not_checked} not checked.`;
}

/** A value must not become a mention, a link or a command in Slack. */
function plainInSlack(value: string | undefined): string | undefined {
  return value === undefined ? undefined : shortened(value, maxMessage).replace(/[&<>]/g, (sign) => slackSigns[sign]!);
}

const slackSigns: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

function* jiraNotices(jira: Jira, event: ProjectEvent): Generator<NewNotice> {
  const { name, data, tasks } = event;
  const comment = (subject: string, text: string, isDone: boolean): NewNotice => ({
    target: "jira",
    action: { is: "comment_ticket", subject, text, isDone },
  });
  switch (name) {
    case "project.started":
      return yield ticketsOf(jira, event)({ id: "", title: event.document.name });
    case "project.phase_completed": {
      const { phase } = data as EventData<"project.phase_completed">;
      // Planning itself is over by now.
      const toDo = phase === "planning" ? tasks.filter((task) => task.phase !== phase) : [];
      const ticket = ticketsOf(jira, event);
      yield comment("", `The phase ${quoted(phase)} is complete.`, false);
      for (const task of toDo) yield ticket(task);
      return;
    }
    case "agent.task_completed": {
      const { task_id, agent_id } = data as EventData<"agent.task_completed">;
      return yield comment(task_id, `Done by ${agent_id}.`, true);
    }
    case "project.deployed": {
      const { url, version, checks } = data as EventData<"project.deployed">;
      const live = `Version ${version} is live${url === "" ? "" : `: ${url}`}.${describeChecks(checks)}`;
      return yield comment("", live, true);
    }
    case "deployment.completed": {
      const { url, version, environment } = data as EventData<"deployment.completed">;
      return yield comment(
        "",
        `Version ${version} is live in ${quoted(environment)}${url === "" ? "" : `: ${url}`}.`,
        false,
      );
    }
    case "deployment.failed": {
      const { error, environment } = data as EventData<"deployment.failed">;
      const failed = isOfRollback(event)
        ? `A script of the rollback in ${quoted(environment)} failed`
        : `The deployment to ${quoted(environment)} failed`;
      return yield comment("", `${failed}:\n${quoted(error.message)}`, false);
    }
    case "project.failed": {
      const { error, phase, checks } = data as EventData<"project.failed">;
      const failed = `Failed in ${quoted(phase)}:\n${quoted(error.message)}${describeChecks(checks)}`;
      return yield comment("", failed, false);
    }
    default:
      return;
  }
}

/** Makes the ticket of a task, or of the project, whose id is empty. */
function ticketsOf({ ticket_template: written }: Jira, event: ProjectEvent) {
  const texts = boundedTexts(typeof written === "string" ? { description: written } : (written ?? {}));
  const lookUp = lookUpIn(event);
  return ({
    id,
    title,
    description,
  }: Pick<ProjectEvent["tasks"][number], "id" | "title" | "description">): NewNotice => {
    // An agent may have written it, in its plan.
    const about = description ? [quoted(description)] : [];
    const usual = { summary: title, description: [...about, event.projectUrl].join("\n\n") };
    const fields = { ...usual, ...fillFields(texts, (key) => (key === "task" ? title : lookUp(key))) };
    return {
      target: "jira",
      action: {
        is: "create_ticket",
        subject: id,
        fields: {
          ...fields,
          summary: oneLine(fields.summary, maxSummary) || oneLine(event.document.name, maxSummary),
          description: shortened(fields.description, maxDescription),
        },
      },
    };
  };
}

/** The texts of a template, as far as there is room. */
function boundedTexts(texts: Readonly<Record<string, string>>): readonly [string, string][] {
  let room = maxTemplate;
  const bounded: [string, string][] = [];
  for (const [field, text] of Object.entries(texts)) {
    if (room <= field.length) break;
    bounded.push([field, shortened(text, room)]);
    room -= fieldCost + field.length + text.length;
  }
  return bounded;
}

function fillFields(texts: readonly [string, string][], lookUp: LookUp): Record<string, string> {
  let room = maxTemplate;
  const filled: [string, string][] = [];
  for (const [field, text] of texts) {
    if (room <= 0) break;
    const value = shortened(fillTemplate(text, lookUp, room), room);
    filled.push([field, value]);
    room -= value.length;
  }
  return Object.fromEntries(filled);
}

type LookUp = (name: string) => string | undefined;

/** Looks up the value of a name in a template; undefined if it has none here. */
function lookUpIn({ name, data, document, projectId, projectUrl, tasks }: ProjectEvent): LookUp {
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const values: Record<TemplateName, string> = {
    "project.id": projectId,
    "project.name": document.name,
    "project.status": statusAfter(name),
    "project.url": projectUrl,
    phase: text(data["phase"]),
    next_phase: text(data["next_phase"]),
    environment: text(data["environment"]),
    version: text(data["version"]),
    url: text(data["url"]),
    task: tasks.find(({ id }) => id === data["task_id"])?.title ?? text(data["task_id"]),
    agent: text(data["agent_id"]),
    error: text((data["error"] as { message?: unknown } | undefined)?.message),
  };
  return (key) => (Object.hasOwn(values, key) ? values[key as TemplateName] : undefined);
}

function statusAfter(name: EventName): string {
  if (name === "project.deployed" || name === "deployment.completed") return "deployed";
  // The project itself stays as it is where a promotion fails.
  if (name === "deployment.failed") return "deployed";
  return name === "project.failed" ? "failed" : "running";
}

/** Literal text: Jira reads no markup in it, and it mentions nobody. */
function quoted(text: string): string {
  // Broken, not removed: what is around it could become one.
  const broken = text.slice(0, maxQuoted + 1).replace(/\{(?=noformat)/gi, "{ ");
  return `{noformat}${shortened(broken, maxQuoted)}{noformat}`;
}
