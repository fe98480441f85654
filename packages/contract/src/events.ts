import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { Page, pageQuery } from "./paging.ts";
import { ProjectError, projectParams } from "./projects.ts";
import { type ObjectSchema, type Static, Type } from "./schema.ts";
import { VerdictCounts } from "./verdict-counts.ts";

const TaskDone = Type.Object({
  task_id: Type.String(),
  agent_id: Type.String(),
  role: Type.String(),
  phase: Type.String(),
  duration_ms: Type.Integer(),
});

const LiveVersion = {
  deployment_id: Type.String(),
  environment: Type.String(),
  version: Type.String(),
  url: Type.String(),
};

/** The schema of each event's `data`. */
export const eventData = {
  "project.created": Type.Object(
    { name: Type.String(), status: Type.String(), spec_url: Type.String() },
    { description: "A project was created." },
  ),
  "project.started": Type.Object({ phase: Type.String() }, { description: "Work on a project has started." }),
  "project.phase_completed": Type.Object(
    {
      phase: Type.String(),
      next_phase: Type.String({ description: "The next phase in order. Empty after the last." }),
      artifacts: Type.Array(Type.Object({ type: Type.String(), url: Type.String() })),
    },
    { description: "A phase finished." },
  ),
  "project.approval_required": Type.Object(
    {
      approval_id: Type.String(),
      phase: Type.String(),
      environment: Type.String(),
      approvers: Type.Array(Type.String()),
      deadline: Timestamp("The service denies the approval at this time."),
    },
    { description: "A person must approve." },
  ),
  "project.deployed": Type.Object(
    {
      environment: Type.String(),
      version: Type.String(),
      url: Type.String(),
      usage: Type.Optional(Type.String({ description: "How to use it, in one line." })),
      checks: Type.Optional(VerdictCounts),
    },
    { description: "A project is live." },
  ),
  "deployment.completed": Type.Object(
    { ...LiveVersion, usage: Type.Optional(Type.String({ description: "How to use it, in one line." })) },
    { description: "What a project made is live in a further environment." },
  ),
  "deployment.failed": Type.Object(
    { environment: Type.String(), version: Type.String(), error: ProjectError },
    {
      description: "What a project made did not go live in a further environment, or the script of a rollback failed.",
    },
  ),
  "deployment.unhealthy": Type.Object(
    { ...LiveVersion, reason: Type.String() },
    { description: "What was deployed ended, or no longer answers. The service starts it again." },
  ),
  "deployment.recovered": Type.Object(LiveVersion, { description: "What was deployed is healthy again." }),
  "deployment.rolled_back": Type.Object(
    { ...LiveVersion, from_version: Type.String(), reason: Type.String() },
    { description: "An earlier version is live again." },
  ),
  "project.failed": Type.Object(
    { error: ProjectError, phase: Type.String(), checks: Type.Optional(VerdictCounts) },
    { description: "A project failed." },
  ),
  "project.restarted": Type.Object({ from_phase: Type.String() }, { description: "A project restarted from a phase." }),
  "project.rolled_back": Type.Object(
    { checkpoint: Type.String() },
    { description: "A project was rolled back to a checkpoint." },
  ),
  "agent.task_completed": Type.Object(TaskDone.properties, { description: "An agent finished a task." }),
  "agent.task_failed": Type.Object(
    { ...TaskDone.properties, error: ProjectError },
    { description: "An agent's attempt at a task failed." },
  ),
  "security.issue_detected": Type.Object(
    {
      rule_id: Type.String(),
      severity: Type.String(),
      path: Type.String(),
      line: Type.Integer(),
      message: Type.String(),
      remedy: Type.String(),
    },
    { description: "A security issue was found." },
  ),
} as const satisfies Record<string, ObjectSchema>;

export type EventName = keyof typeof eventData;

export const eventNames = Object.keys(eventData) as EventName[];

export type EventData<N extends EventName> = Static<(typeof eventData)[N]>;

export const EventRecord = Type.Object(
  {
    event_id: Id("event", "The event's id."),
    sequence: Type.Integer({ minimum: 1, description: "Counts from 1 without gaps in each project." }),
    event: Type.Enum(eventNames, { description: "The event's name." }),
    timestamp: Timestamp("When it happened."),
    project_id: Id("project", "The event's project."),
    data: Type.Record(Type.Unknown(), { description: "Depends on the event." }),
  },
  { description: "An event of a project." },
);

export type EventRecord = Static<typeof EventRecord>;

const EventPage = Page("events", EventRecord, "A project's events, in order.");

/** Events: the history of a project. */
export const eventEndpoints = {
  listEvents: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/events",
    tag: "Projects",
    summary: "List a project's events, or stream them",
    description:
      "Returns the history as JSON, in order. With `Accept: text/event-stream`, streams the history from the first event, or after `Last-Event-ID`, and then new events as they occur.",
    access: withScope("projects:read"),
    params: projectParams,
    query: query(pageQuery),
    headers: { "Last-Event-ID": "The id of the last event you received. The stream continues after it." },
    success: [{ status: 200, description: "Events in order.", schema: EventPage, mediaTypes: ["text/event-stream"] }],
    problems: ["not_found"],
  }),
} as const;
