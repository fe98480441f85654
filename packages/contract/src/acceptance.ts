import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id, OptionalTimestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { projectParams } from "./projects.ts";
import { type Static, Type } from "./schema.ts";
import { UnmetRequest } from "./unmet-request.ts";
import { Usage } from "./usage.ts";
import { VerdictCounts, verdicts } from "./verdict-counts.ts";

const Answerer = Type.Object(
  {
    by: Type.Enum(["service", "plugin", "agent", "person"], { description: "Who answered." }),
    id: StringOrNull("The agent's id, or the approval's by which a person answered."),
    name: StringOrNull("The name of the agent or the person."),
    kind: StringOrNull("The agent's kind."),
  },
  { description: "Who answered for the line." },
);

const MeasuredValue = Type.Object(
  {
    name: Type.String({ examples: ["response_time_p95"] }),
    value: Type.Number(),
    unit: Type.Enum(["ms", "bytes", "per second", "share", "count"]),
    previous: Type.Union([Type.Number(), Type.Null()], {
      description: "The value in the application's run before. Null if it was not measured.",
    }),
    change: Type.Union([Type.Number(), Type.Null()], {
      description: "The change since then as a share of the previous value: 0.1 is a tenth more. Null if unknown.",
    }),
  },
  { description: "A number that the check took." },
);

const UsageOrNull = Type.Union([Usage, Type.Null()], {
  description:
    "The tokens and the cost of the line: the usage of each task that serves it, shared evenly among its lines. Null if unknown.",
});

const HandedOn = Type.Object(
  {
    pointer: Type.String({ description: "The JSON Pointer in the document.", examples: ["/rules/0"] }),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: "The line number in the document." }),
    task: Type.String({ description: "The task that was to finish it." }),
    agent_id: StringOrNull("The agent that had the task's latest attempt. Null if none has begun."),
    usage: UsageOrNull,
  },
  { description: "A part of the document that was left to another agent." },
);

const ReportedLine = Type.Object(
  {
    pointer: Type.String({
      description: "The JSON Pointer of the line in the document, resolved for its environment.",
      examples: ["/acceptance/http_endpoints/0"],
    }),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], {
      description: "The line number in the document. Null for a default.",
    }),
    phase: StringOrNull("The phase that it belongs to. Null for the whole result."),
    title: Type.String({ description: "The line in words." }),
    verdict: Type.Enum([...verdicts], { description: "Whether the line holds. `not_checked` is no `passed`." }),
    reason: Type.String({ description: "What was found, or why nobody checked it." }),
    duration_ms: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
      description: "How long the check took. Null if nothing ran for this line alone.",
    }),
    evidence: Type.Array(Type.String(), { description: "The paths of the artifacts that show it." }),
    tasks: Type.Array(Type.String(), { description: "The tasks that serve the line." }),
    previous: Type.Union([Type.Enum([...verdicts]), Type.Null()], {
      description: "The verdict on the same line in the application's run before. Null if there is none.",
    }),
    answered_by: Type.Union([Answerer, Type.Null()], { description: "Null while nobody has answered." }),
    measured: Type.Array(MeasuredValue, { description: "What was measured for the line." }),
    usage: UsageOrNull,
  },
  { description: "The verdict on one line of the document." },
);

export type ReportedLine = Static<typeof ReportedLine>;

export const AcceptanceReport = Type.Object(
  {
    project_id: Id("project", "The project."),
    commit: StringOrNull("The commit that was checked. Null before the first check."),
    checked_at: OptionalTimestamp("When it was checked. Null before the first check."),
    counts: VerdictCounts,
    lines: Type.Array(ReportedLine, { description: "Every line, in the document's order." }),
    unmet: Type.Array(UnmetRequest, {
      description: "What the document says that the built-in agent did not use or not build. Empty if others built it.",
    }),
    handed_on: Type.Array(HandedOn, {
      description: "What else of the document was left to other agents, because no rule builds it.",
    }),
  },
  { description: "What became of each line that the document promises." },
);

export type AcceptanceReport = Static<typeof AcceptanceReport>;

/** What became of the lines of a project's document. */
export const acceptanceEndpoints = {
  readAcceptance: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/acceptance",
    tag: "Runs",
    summary: "Read the verdict on every line of a project's document",
    access: withScope("projects:read"),
    params: projectParams,
    success: [{ status: 200, description: "The report.", schema: AcceptanceReport }],
    isVersioned: true,
    problems: ["not_found"],
  }),
} as const;
