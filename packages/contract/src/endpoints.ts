import { acceptanceEndpoints } from "./acceptance.ts";
import { agentEndpoints } from "./agents.ts";
import { apiKeyEndpoints } from "./api-keys.ts";
import { applicationEndpoints } from "./applications.ts";
import { approvalEndpoints } from "./approvals.ts";
import { artifactEndpoints } from "./artifacts.ts";
import { auditEndpoints } from "./audit.ts";
import { deliveryEndpoints } from "./deliveries.ts";
import { deploymentEndpoints } from "./deployments.ts";
import { deviceLoginEndpoints } from "./device-login.ts";
import { diagnosticsEndpoints } from "./diagnostics.ts";
import { documentEndpoints } from "./documents.ts";
import { eventEndpoints } from "./events.ts";
import { federationEndpoints } from "./federation.ts";
import { gitHookEndpoints } from "./git-hooks.ts";
import { logEndpoints } from "./logs.ts";
import { oauthEndpoints } from "./oauth.ts";
import { operationEndpoints } from "./operations.ts";
import { projectEndpoints } from "./projects.ts";
import { runEndpoints } from "./runs.ts";
import { secretEndpoints } from "./secrets.ts";
import { serviceAccountEndpoints } from "./service-accounts.ts";
import { sessionEndpoints } from "./sessions.ts";
import { sourceEndpoints } from "./sources.ts";
import { teamEndpoints } from "./teams.ts";
import { userEndpoints } from "./users.ts";
import { webhookStreamEndpoints } from "./webhook-stream.ts";
import { webhookEndpoints } from "./webhooks.ts";
import { workerEndpoints } from "./workers.ts";

/** Every endpoint of the API, by name. */
export const endpoints = {
  ...projectEndpoints,
  ...eventEndpoints,
  ...applicationEndpoints,
  ...sourceEndpoints,
  ...deploymentEndpoints,
  ...gitHookEndpoints,
  ...documentEndpoints,
  ...apiKeyEndpoints,
  ...secretEndpoints,
  ...userEndpoints,
  ...teamEndpoints,
  ...serviceAccountEndpoints,
  ...sessionEndpoints,
  ...oauthEndpoints,
  ...deviceLoginEndpoints,
  ...federationEndpoints,
  ...auditEndpoints,
  ...operationEndpoints,
  ...diagnosticsEndpoints,
  ...runEndpoints,
  ...acceptanceEndpoints,
  ...approvalEndpoints,
  ...agentEndpoints,
  ...logEndpoints,
  ...workerEndpoints,
  ...webhookEndpoints,
  ...deliveryEndpoints,
  ...webhookStreamEndpoints,
  ...artifactEndpoints,
} as const;

export type Endpoints = typeof endpoints;
export type EndpointName = keyof Endpoints;
