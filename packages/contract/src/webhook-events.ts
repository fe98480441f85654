import { eventData } from "./events.ts";
import { Timestamp } from "./ids.ts";
import { type ObjectSchema, type Static, Type } from "./schema.ts";

/** The schema of `data` for each event a webhook can receive: all project events and the test event. */
export const webhookEventData = {
  ...eventData,
  "webhook.test": Type.Object(
    { webhook_id: Type.String(), message: Type.String() },
    { description: "A test of the webhook. `project_id` is empty." },
  ),
} as const satisfies Record<string, ObjectSchema>;

export type WebhookEventName = keyof typeof webhookEventData;
export const webhookEventNames = Object.keys(webhookEventData) as WebhookEventName[];
export type WebhookEventData<N extends WebhookEventName> = Static<(typeof webhookEventData)[N]>;

/** Subscribes to every event. */
export const allEvents = "*";

/** The body of a webhook request. The order of its members is fixed: the signature depends on it. */
export function WebhookBody(name: WebhookEventName) {
  const data: ObjectSchema = webhookEventData[name];
  const { description = "" } = data;
  return Type.Object(
    {
      event: Type.Literal(name),
      timestamp: Timestamp("When it happened."),
      project_id: Type.String({ description: "The event's project. Empty for `webhook.test`." }),
      data,
      signature: Type.String({
        pattern: "^sha256=[0-9a-f]{64}$",
        description: "The HMAC-SHA256 of the body without this last member, keyed with the webhook's secret.",
      }),
    },
    { additionalProperties: false, description },
  );
}

interface ExampleEvent {
  readonly timestamp: string;
  readonly project_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const project = "proj_01kaw3v9t2h5m8q1x7zc";
const agent = "agent_01kaw3v9t2h5m8q1x7zc";
const example = (data: ExampleEvent["data"], projectId = project): ExampleEvent => ({
  timestamp: "2026-11-15T09:30:00.000Z",
  project_id: projectId,
  data,
});
const live = {
  deployment_id: "dep_01kaw3v9t2h5m8q1x7zc",
  environment: "production",
  version: "3f9c2d1",
  url: "https://shop.example.com",
};
const task = { task_id: "login-form", agent_id: agent, role: "implementer", phase: "implementation" };

/** An example of each event, for the API's description and for testing receivers. */
export const exampleEvents: Readonly<Record<WebhookEventName, ExampleEvent>> = {
  "project.created": example({
    name: "Shop",
    status: "specification",
    spec_url: `/api/v1/projects/${project}/spec`,
  }),
  "project.started": example({ phase: "planning" }),
  "project.phase_completed": example({
    phase: "implementation",
    next_phase: "validation",
    artifacts: [{ type: "source_code", url: `/api/v1/projects/${project}/artifacts/source_code` }],
  }),
  "project.approval_required": example({
    approval_id: "appr_01kaw3v9t2h5m8q1x7zc",
    phase: "deployment",
    environment: "production",
    approvers: ["ada@example.com"],
    deadline: "2026-11-22T09:30:00.000Z",
  }),
  "project.deployed": example({
    environment: "production",
    version: "3f9c2d1",
    url: "https://shop.example.com",
    checks: { passed: 24, failed: 0, not_checked: 2, waived: 0 },
  }),
  "deployment.completed": example(live),
  "deployment.failed": example({
    environment: "production",
    version: "3f9c2d1",
    error: { code: "approval_denied", message: "Not on a Friday." },
  }),
  "deployment.unhealthy": example({ ...live, reason: "scripts.start ended with exit code 1." }),
  "deployment.recovered": example(live),
  "deployment.rolled_back": example({ ...live, from_version: "8c1d0a7", reason: "It was not healthy for 10 seconds." }),
  "project.failed": example({
    error: { code: "task_failed", message: "The tests fail.", phase: "implementation", task_id: "login-form" },
    phase: "implementation",
  }),
  "project.restarted": example({ from_phase: "implementation" }),
  "project.rolled_back": example({ checkpoint: "ckpt_01kaw3v9t2h5m8q1x7zc" }),
  "agent.task_completed": example({ ...task, duration_ms: 84_210 }),
  "agent.task_failed": example({
    ...task,
    duration_ms: 1_800_000,
    error: { code: "agent_timeout", message: `Agent ${agent} timed out after 30 minutes. Last status: running tests` },
  }),
  "security.issue_detected": example({
    rule_id: "sql-injection",
    severity: "error",
    path: "src/orders.ts",
    line: 42,
    message: "A query is concatenated from user input.",
    remedy: "Pass the value as a parameter of the query.",
  }),
  "webhook.test": example({ webhook_id: "wh_01kaw3v9t2h5m8q1x7zc", message: "This webhook works." }, ""),
};
