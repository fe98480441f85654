export {
  type Access,
  type Role,
  roleNames,
  type Scope,
  scopeNames,
  scopes,
  scopesOfRole,
} from "./access.ts";
export type { Agent, AgentContext, AgentStatusReport, AgentVision } from "./agents.ts";
export { maxPieceBytes, maxUploadBytes } from "./artifact-endpoints.ts";
export type { Artifact, ArtifactCheck, DamagedArtifact, Upload } from "./artifacts.ts";
export { defaultKeyDays, type IssuedTokens, maxKeyDays } from "./auth.ts";
export type { Endpoint, Method, Success } from "./endpoint.ts";
export { type EndpointName, type Endpoints, endpoints } from "./endpoints.ts";
export { type EventData, type EventName, type EventRecord, eventData, eventNames } from "./events.ts";
export { type IdKind, idPrefixes } from "./ids.ts";
export type { LogPage, ServiceLog } from "./logs.ts";
export { defaultPageSize, maxPageSize } from "./paging.ts";
export { Problem, type ProblemCode, type ProblemDetail, problems, problemType } from "./problems.ts";
export { type CreatedProject, type Project, type ProjectStatus, projectStatusNames } from "./projects.ts";
export { type ResponseHeader, responseHeaders } from "./response-headers.ts";
export type { Approval, Checkpoint, Phase, Task } from "./runs.ts";
export type { TotalUsage, Usage } from "./usage.ts";
export {
  exampleEvents,
  WebhookBody,
  type WebhookEventData,
  type WebhookEventName,
  webhookEventData,
  webhookEventNames,
} from "./webhook-events.ts";
export type {
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
  ReplayReport,
  RotatedSecret,
  Webhook,
  WebhookFrame,
  WebhookFrames,
  WebhookOrdering,
  WebhookStatus,
} from "./webhooks.ts";
export { allEvents, deliveryStatusNames, maxReplayed } from "./webhooks.ts";
export type { ClaimedTask, CompleteLease, LeaseState, WorkerEvent } from "./workers.ts";
export { maxClaimSeconds, maxEventsAtOnce } from "./workers.ts";
