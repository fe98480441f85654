import { open, withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id, Timestamp } from "./ids.ts";
import { StringOrNull } from "./nullable.ts";
import { Type } from "./schema.ts";

/** The largest delivery of a git server that is read. */
const maxDeliveryBytes = 5 * 1024 * 1024;

const params = Type.Object({ application_id: Id("application", "The application's id.") });

const HookSecret = Type.Object(
  {
    application_id: Id("application", "The application."),
    path: Type.String({ description: "Where the git server sends pushes, from the service's address on." }),
    secret: Type.String({ description: "The secret to enter at the git server. It is not shown again." }),
    created_at: Timestamp("When it was made."),
  },
  { description: "A secret with which a git server proves itself." },
);

const HookResult = Type.Object(
  {
    result: Type.Enum(["started", "ignored", "duplicate"], { description: "What became of the delivery." }),
    reason: StringOrNull("Why nothing was started. Null if something was."),
    projects: Type.Array(
      Type.Object({
        project_id: Id("project", "The new project."),
        environment: Type.String({ description: "The environment whose `branch_trigger` names the branch." }),
      }),
      { description: "The projects that were started." },
    ),
  },
  { description: "What became of a delivery of a git server." },
);

/** Git hooks: a push to a branch starts a run for the environments that it triggers. */
export const gitHookEndpoints = {
  createHookSecret: endpoint({
    method: "POST",
    path: "/api/v1/applications/{application_id}/hook-secret",
    tag: "Projects",
    summary: "Make the secret with which a git server may start runs of an application",
    description: "An earlier secret of the application is no longer valid.",
    access: withScope("projects:manage"),
    params,
    answersSecret: true,
    success: [{ status: 201, description: "The secret. It is not shown again.", schema: HookSecret }],
    problems: ["not_found"],
  }),
  receiveGitHook: endpoint({
    method: "POST",
    path: "/api/v1/hooks/git/{application_id}",
    tag: "Projects",
    summary: "Take a push from GitHub, Gitea or GitLab",
    description:
      "The body is the git server's own, at most 5 MiB, with its signature (`X-Hub-Signature-256`, `X-Gitea-Signature`) or its token (`X-Gitlab-Token`). The service fetches the document from the remote that the operator allowed for the application, and starts a run for each environment whose `branch_trigger` is the pushed branch.",
    access: open,
    params,
    headers: {
      "X-Hub-Signature-256": "The HMAC-SHA256 of the body (GitHub, Gitea).",
      "X-Gitea-Signature": "The same without a prefix (Gitea).",
      "X-Gitlab-Token": "The secret itself (GitLab).",
    },
    takesBytes: maxDeliveryBytes,
    success: [
      { status: 202, description: "The delivery was taken.", schema: HookResult },
      { status: 200, description: "There was nothing to start.", schema: HookResult },
    ],
    problems: ["not_found", "conflict", "too_large", "invalid_body", "invalid_yaml", "invalid_document", "overloaded"],
  }),
} as const;
