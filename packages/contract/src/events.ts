import { type Static, type TObject, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { Page, pageQuery } from "./paging.ts";
import { ProjectError, projectParams } from "./projects.ts";

const TaskDone = Type.Object({
  task_id: Type.String(),
  agent_id: Type.String(),
  role: Type.String(),
  phase: Type.String(),
  duration_ms: Type.Integer(),
});

/** What the `data` of each event holds. */
export const eventData = {
  "project.created": Type.Object(
    { name: Type.String(), status: Type.String(), spec_url: Type.String() },
    { description: "A project was created." },
  ),
  "project.started": Type.Object({ phase: Type.String() }, { description: "Work on a project has begun." }),
  "project.phase_completed": Type.Object(
    {
      phase: Type.String(),
      next_phase: Type.String({ description: "The first next in order; empty after the last." }),
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
      deadline: Timestamp("Until when; then it is denied."),
    },
    { description: "A person must approve." },
  ),
  "project.deployed": Type.Object(
    { environment: Type.String(), version: Type.String(), url: Type.String() },
    { description: "A project is live." },
  ),
  "project.failed": Type.Object({ error: ProjectError, phase: Type.String() }, { description: "A project failed." }),
  "project.restarted": Type.Object(
    { from_phase: Type.String() },
    { description: "A project starts over from a phase." },
  ),
  "project.rolled_back": Type.Object(
    { checkpoint: Type.String() },
    { description: "A project went back to a checkpoint." },
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
} as const satisfies Record<string, TObject>;

export type EventName = keyof typeof eventData;

export const eventNames = Object.keys(eventData) as EventName[];

export type EventData<N extends EventName> = Static<(typeof eventData)[N]>;

export const EventRecord = Type.Object(
  {
    event_id: Id("event", "The event's id."),
    sequence: Type.Integer({ minimum: 1, description: "Gapless from 1 in each project." }),
    event: Type.Enum(eventNames, { description: "The event's name." }),
    timestamp: Timestamp("When it happened."),
    project_id: Id("project", "The project it is about."),
    data: Type.Record(Type.String(), Type.Unknown(), { description: "Depends on the event." }),
  },
  { description: "Something that happened to a project." },
);

export type EventRecord = Static<typeof EventRecord>;

const EventPage = Page("events", EventRecord, "Events of a project, in their order.");

/** The history of a project. */
export const eventEndpoints = {
  listEvents: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/events",
    tag: "Projects",
    summary: "Read what happened to a project, or watch it happen",
    description:
      "As JSON the history, in order. With `Accept: text/event-stream` the history from the first event, or after `Last-Event-ID`, and then what happens, as it happens.",
    access: withScope("projects:read"),
    params: projectParams,
    query: query(pageQuery),
    headers: { "Last-Event-ID": "The id of the last event that you have; the stream goes on after it." },
    success: [{ status: 200, description: "Events in order.", schema: EventPage, mediaTypes: ["text/event-stream"] }],
    problems: ["not_found"],
  }),
} as const;
