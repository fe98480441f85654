import { type Static, type TObject, Type } from "typebox";
import { eventData } from "./events.ts";
import { Timestamp } from "./ids.ts";

/** What the `data` of each event that webhooks may get holds: every event of projects, and a trial. */
export const webhookEventData = {
  ...eventData,
  "webhook.test": Type.Object(
    { webhook_id: Type.String(), message: Type.String() },
    { description: "Somebody tries a webhook out; `project_id` is empty." },
  ),
} as const satisfies Record<string, TObject>;

export type WebhookEventName = keyof typeof webhookEventData;
export const webhookEventNames = Object.keys(webhookEventData) as WebhookEventName[];
export type WebhookEventData<N extends WebhookEventName> = Static<(typeof webhookEventData)[N]>;

/** Stands for every event. */
export const allEvents = "*";

/** The whole body that is posted for an event. Its members come in this very order: the signature relies on it. */
export function WebhookBody(name: WebhookEventName) {
  const data: TObject = webhookEventData[name];
  const { description } = data as unknown as { description: string };
  return Type.Object(
    {
      event: Type.Literal(name),
      timestamp: Timestamp("When it happened."),
      project_id: Type.String({ description: "The project it is about; empty for `webhook.test`." }),
      data,
      signature: Type.String({
        pattern: "^sha256=[0-9a-f]{64}$",
        description: "HMAC-SHA256 over the body without this last member, with the webhook's secret as the key.",
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
const task = { task_id: "login-form", agent_id: agent, role: "implementer", phase: "implementation" };

/** What each event may look like: in the API's description, and for whoever tries a receiver out. */
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
  }),
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
    message: "A query is glued together from what a visitor sent.",
    remedy: "Pass the value as a parameter of the query.",
  }),
  "webhook.test": example({ webhook_id: "wh_01kaw3v9t2h5m8q1x7zc", message: "This webhook works." }, ""),
};
