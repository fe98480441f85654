export {
  type Access,
  type Role,
  roleNames,
  type Scope,
  scopeNames,
  scopes,
  scopesOfRole,
} from "./access.ts";
export type { Agent, AgentStatusReport } from "./agents.ts";
export { defaultKeyDays, type IssuedTokens, longestKeyDays } from "./auth.ts";
export type { Endpoint, Method, Success } from "./endpoint.ts";
export { type EndpointName, type Endpoints, endpoints } from "./endpoints.ts";
export { type EventData, type EventName, type EventRecord, eventData, eventNames } from "./events.ts";
export { type IdKind, idPrefixes } from "./ids.ts";
export { defaultPageSize, largestPageSize } from "./paging.ts";
export { Problem, type ProblemCode, type ProblemDetail, problems, problemType } from "./problems.ts";
export { type CreatedProject, type Project, type ProjectStatus, projectStatusNames } from "./projects.ts";
export { type ResponseHeader, responseHeaders } from "./response-headers.ts";
export type { Approval, Checkpoint, LogPage, Phase, Task } from "./runs.ts";
