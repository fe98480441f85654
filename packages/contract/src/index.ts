export type { AcceptanceReport, ReportedLine } from "./acceptance.ts";
export {
  type Access,
  type Role,
  roleNames,
  type Scope,
  scopeNames,
  scopes,
  scopesOfRole,
} from "./access.ts";
export { Agent, type AgentContext, type AgentLog, type AgentStatusReport, type AgentVision } from "./agents.ts";
export { defaultKeyDays, maxKeyDays } from "./api-keys.ts";
export type { Approval, AskedApproval, DecideApproval } from "./approvals.ts";
export type {
  Artifact,
  ArtifactCheck,
  DamagedArtifact,
  SourceFile,
  Upload,
} from "./artifacts.ts";
export type { AuditCheck, AuditEntry } from "./audit.ts";
export {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryStatus,
  deliveryStatusNames,
  maxReplayed,
  type ReplayReport,
} from "./deliveries.ts";
export {
  type Deployment,
  type Promotion,
  type Release,
  type ReleaseKind,
  topLevelEnvironment,
} from "./deployments.ts";
export { describeMeasured } from "./describe-measured.ts";
export type { DeviceLogin, StartedDeviceLogin } from "./device-login.ts";
export type { Diagnostics, ProjectHealth } from "./diagnostics.ts";
export type { Obstacle, RunEstimate } from "./dry-run.ts";
export type { Endpoint, Method, Success } from "./endpoint.ts";
export { type EndpointName, type Endpoints, endpoints } from "./endpoints.ts";
export { type EventData, type EventName, type EventRecord, eventData, eventNames } from "./events.ts";
export { type IdKind, idPrefixes } from "./ids.ts";
export type { LogPage, ServiceLog } from "./logs.ts";
export type { SignInProvider } from "./oauth.ts";
export type { Installation } from "./operations.ts";
export { defaultPageSize, maxPageSize } from "./paging.ts";
export { Problem, type ProblemCode, type ProblemDetail, problems, problemType } from "./problems.ts";
export { type CreatedProject, type Project, type ProjectStatus, projectStatusNames } from "./projects.ts";
export { type ResponseHeader, responseHeaders } from "./response-headers.ts";
export type { Checkpoint, Phase, Task } from "./runs.ts";
export type { Schema, Static } from "./schema.ts";
export type { Secret } from "./secrets.ts";
export { sessionHeader } from "./session-header.ts";
export type { Session, SignIn, SignInCode } from "./sessions.ts";
export type { UnmetRequest } from "./unmet-request.ts";
export { maxPieceBytes, maxSingleUploadBytes } from "./upload-limits.ts";
export type { TotalUsage, Usage } from "./usage.ts";
export type { IssuedTokens } from "./users.ts";
export type { VerdictCounts } from "./verdict-counts.ts";
export {
  allEvents,
  exampleEvents,
  WebhookBody,
  type WebhookEventData,
  type WebhookEventName,
  webhookEventData,
  webhookEventNames,
} from "./webhook-events.ts";
export type { WebhookFrame, WebhookFrames } from "./webhook-stream.ts";
export type { RotatedSecret, Webhook, WebhookOrdering, WebhookStatus } from "./webhooks.ts";
export {
  ClaimedTask,
  type CompleteLease,
  LeaseState,
  maxClaimSeconds,
  maxEventsAtOnce,
  WorkerEvent,
} from "./workers.ts";
