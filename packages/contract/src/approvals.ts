import { type Static, Type } from "typebox";
import { withScope } from "./access.ts";
import { endpoint, query } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Page, pageQuery } from "./paging.ts";
import { projectParams } from "./projects.ts";

export const Approval = Type.Object(
  {
    approval_id: Id("approval", "The approval's id."),
    project_id: Id("project", "The project that waits for it."),
    gate: Type.Enum(["plan", "deployment", "permission"], {
      description: "What is to be approved: a plan, a deployment, or what an agent asks for while it works.",
    }),
    phase: Type.String({ description: "The phase that starts when it is approved, or in which the agent works." }),
    environment: Type.String({ description: "Where the result would go; empty: the top level." }),
    approvers: Type.Array(Type.String(), {
      description: "Who may decide; nobody named: administrators, and for a permission also who submitted the project.",
    }),
    task_id: StringOrNull("The task at which an agent asks."),
    agent_id: StringOrNull("The agent that asks."),
    question: StringOrNull("What the agent wants to do."),
    status: Type.Enum(["pending", "approved", "denied", "expired", "withdrawn"]),
    created_at: Timestamp("When it was asked for."),
    deadline: Timestamp("Until when; then it is denied."),
    decided_at: OptionalTimestamp("When it was decided."),
    decided_by: StringOrNull("Who decided: the user's name."),
    comment: StringOrNull("What they said."),
  },
  { description: "A decision that a person makes." },
);

export type Approval = Static<typeof Approval>;

const ApprovalPage = Page("approvals", Approval, "Approvals, newest first.");

const DecideApproval = Type.Object(
  {
    decision: Type.Enum(["approve", "deny"], { description: "Whether the project may go on." }),
    comment: Type.Optional(Type.String({ maxLength: 10_000, description: "Why.", examples: ["Looks good."] })),
  },
  { additionalProperties: false },
);

/** Decisions that people make. */
export const approvalEndpoints = {
  listApprovals: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/approvals",
    tag: "Runs",
    summary: "List the approvals of a project, newest first",
    access: withScope("projects:read"),
    params: projectParams,
    query: query(pageQuery),
    success: [{ status: 200, description: "A page of approvals.", schema: ApprovalPage }],
    problems: ["not_found"],
  }),
  decideApproval: endpoint({
    method: "POST",
    path: "/api/v1/approvals/{approval_id}",
    tag: "Runs",
    summary: "Approve, or deny",
    access: withScope("approvals:decide"),
    params: Type.Object({ approval_id: Id("approval", "The approval's id.") }),
    body: DecideApproval,
    success: [{ status: 200, description: "The decision.", schema: Approval }],
    problems: ["not_found", "forbidden", "conflict", "invalid_body"],
  }),
} as const;
