import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { projectParams } from "./projects.ts";
import { type Static, Type } from "./schema.ts";
import { verdicts } from "./verdict-counts.ts";

const DecidedLine = Type.Object(
  {
    pointer: Type.String({ description: "The JSON Pointer of the line in the document." }),
    line: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()], { description: "Its number. Null for a default." }),
    title: Type.String({ description: "The line in words." }),
    reason: Type.String({ description: "Why nobody checked it, or what the decision said." }),
    verdict: Type.Enum([...verdicts]),
  },
  { description: "A line of the document that a person decides about." },
);

export const Approval = Type.Object(
  {
    approval_id: Id("approval", "The approval's id."),
    project_id: Id("project", "The project that waits for the approval."),
    gate: Type.Enum(["plan", "deployment", "promotion", "permission"], {
      description:
        "What needs approval: a plan, a deployment, one to a further environment, or a permission that a running agent asks for.",
    }),
    phase: Type.String({ description: "The phase that starts after approval, or the phase the agent works in." }),
    environment: Type.String({ description: "The environment to deploy to. Empty for the top level." }),
    approvers: Type.Array(Type.String(), {
      description:
        "Who may decide. If empty, administrators may; for a permission, so may the user who submitted the project.",
    }),
    task_id: StringOrNull("The task whose agent asks."),
    agent_id: StringOrNull("The agent that asks."),
    question: StringOrNull("What the agent wants to do."),
    status: Type.Enum(["pending", "approved", "denied", "expired", "withdrawn"]),
    created_at: Timestamp("When the approval was requested."),
    deadline: Timestamp("The service denies the approval at this time."),
    decided_at: OptionalTimestamp("When somebody decided."),
    decided_by: StringOrNull("The name of the user who decided."),
    comment: StringOrNull("The comment of the user who decided."),
    lines: Type.Array(DecidedLine, {
      description: "For a deployment: the lines that nobody has checked, or that this decision answered.",
    }),
  },
  { description: "A decision that a person has to make." },
);

export type Approval = Static<typeof Approval>;

const ApprovalPage = Page("approvals", Approval, "Approvals, newest first.");

export type DecideApproval = Static<typeof DecideApproval>;

const DecideApproval = Type.Object(
  {
    decision: Type.Enum(["approve", "deny"], { description: "The decision." }),
    comment: Type.Optional(Type.String({ maxLength: 10_000, description: "The reason.", examples: ["Looks good."] })),
    confirms: Type.Optional(
      Type.Array(Type.String({ maxLength: 2_000 }), {
        maxItems: 2_000,
        description:
          "For a deployment: the JSON Pointers of unchecked lines that you have seen to hold. They pass by your word.",
        examples: [["/acceptance/tone"]],
      }),
    ),
  },
  { additionalProperties: false },
);

const AskedApproval = Type.Object(
  { ...Approval.properties, project_name: Type.String({ description: "The project's name." }) },
  { description: "A decision that a person has to make, with its project's name." },
);

export type AskedApproval = Static<typeof AskedApproval>;

const AskedPage = Page("approvals", AskedApproval, "Approvals that wait, newest first.");

/** Approvals: the decisions a project waits for. */
export const approvalEndpoints = {
  listPendingApprovals: endpoint({
    method: "GET",
    path: "/api/v1/approvals",
    tag: "Runs",
    summary: "List the approvals that wait, of all projects you may read, newest first",
    access: withScope("projects:read"),
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of approvals.", schema: AskedPage }],
    problems: [],
  }),
  listApprovals: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/approvals",
    tag: "Runs",
    summary: "List the approvals of a project, newest first",
    access: withScope("projects:read"),
    params: projectParams,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of approvals.", schema: ApprovalPage }],
    isVersioned: true,
    problems: ["not_found"],
  }),
  decideApproval: endpoint({
    method: "POST",
    path: "/api/v1/approvals/{approval_id}",
    tag: "Runs",
    summary: "Approve or deny",
    access: withScope("approvals:decide"),
    params: Type.Object({ approval_id: Id("approval", "The approval's id.") }),
    body: DecideApproval,
    success: [{ status: 200, description: "The decided approval.", schema: Approval }],
    problems: ["not_found", "forbidden", "conflict", "invalid_body"],
  }),
} as const;
