import { withScope } from "./access.ts";
import { endpoint } from "./endpoint.ts";
import { Id, OptionalTimestamp, Timestamp } from "./ids.ts";
import { DeploymentStatus } from "./live-deployment.ts";
import { StringOrNull } from "./nullable.ts";
import { ProjectError, projectParams } from "./projects.ts";
import { type Static, Type } from "./schema.ts";
import { VerdictCounts } from "./verdict-counts.ts";

/** The environment of a deployment of the document's top level, in paths. */
export const topLevelEnvironment = "default";

const releaseKinds = {
  server: "Programs that answer requests.",
  site: "Files that are served.",
  package: "A package to install.",
  command: "A command to run.",
  model: "A model with its command to predict.",
  bundle: "Files for another tool.",
  script: "Deployed by the document's own script.",
} as const;

export type ReleaseKind = keyof typeof releaseKinds;
const releaseKindNames = Object.keys(releaseKinds) as ReleaseKind[];

const Traffic = Type.Object(
  {
    requests: Type.Integer({ description: "The number of requests." }),
    failed: Type.Integer({ description: "Requests that the program answered with a server error." }),
    dropped: Type.Integer({ description: "Requests that got no whole answer from the program." }),
    p99_ms: Type.Number({ description: "99 of 100 requests took at most this long." }),
  },
  { description: "The requests to a version, since the supervisor started." },
);

const Release = Type.Object(
  {
    release_id: Id("release", "The version's id."),
    number: Type.Integer({ description: "Counts the versions of the deployment." }),
    version: Type.String({ description: "Names the content: the same for the same files." }),
    project_id: Id("project", "The project that made it."),
    kind: Type.Enum(releaseKindNames, { description: "What it is." }),
    usage: Type.String({ description: "How to use it, in one line." }),
    strategy: Type.String({ description: "How it took over from the version before." }),
    status: Type.Enum(["preparing", "live", "retired", "failed"], { description: "Where it stands." }),
    error: StringOrNull("Why it failed. Null if it did not."),
    checks: Type.Union([VerdictCounts, Type.Null()], { description: "How many lines of its document hold." }),
    traffic: Type.Union([Traffic, Type.Null()], { description: "Its requests. Null if none were counted." }),
    digest: StringOrNull(
      "The SHA-256 of its built files: the same in every environment that they were promoted to. Null if the document has no environments.",
    ),
    created_at: Timestamp("When its deployment began."),
    live_at: OptionalTimestamp("When it last went live."),
    ended_at: OptionalTimestamp("When it was replaced, stopped or failed."),
  },
  { description: "A version of an application in an environment." },
);

export type Release = Static<typeof Release>;

export const Deployment = Type.Object(
  {
    deployment_id: Id("deployment", "The deployment's id."),
    application_id: Id("application", "The application."),
    environment: Type.String({ description: "The environment; `default` for the document's top level." }),
    status: DeploymentStatus,
    reason: StringOrNull("Why it is unhealthy. Null if it is not."),
    url: StringOrNull("Its address, which stays the same. Null if it is not reached over HTTP."),
    usage: Type.String({ description: "How to use it, in one line." }),
    replicas: Type.Integer({ description: "The number of copies that run." }),
    release: Type.Union([Release, Type.Null()], { description: "The version that is live. Null before the first." }),
    created_at: Timestamp("When it was first deployed."),
    updated_at: Timestamp("When it last changed."),
  },
  { description: "What is live of an application in an environment." },
);

export type Deployment = Static<typeof Deployment>;

const DeploymentList = Type.Object(
  { deployments: Type.Array(Deployment) },
  { description: "The deployments of an application." },
);

const DeploymentWithReleases = Type.Object(
  {
    ...Deployment.properties,
    releases: Type.Array(Release, { description: "Its versions, newest first, at most 100." }),
  },
  { description: "A deployment with its versions." },
);

const ReleaseList = Type.Object(
  { releases: Type.Array(Release) },
  { description: "What a project has deployed, newest first." },
);

const Promotion = Type.Object(
  {
    project_id: Id("project", "The project whose result goes there."),
    environment: Type.String({ description: "The environment; `default` for the document's top level." }),
    status: Type.Enum(["queued", "waiting_for_approval", "deploying", "live", "failed"], {
      description: "Where it stands; `live` when it went live, also if another version has replaced it since.",
    }),
    version: Type.String({ description: "Names the content: the same for the same files." }),
    url: StringOrNull("Its address. Null before it is live, and for what is not reached over HTTP."),
    error: Type.Union([ProjectError, Type.Null()], { description: "Why it failed. Null if it did not." }),
  },
  { description: "The deployment of a project's result to a further environment." },
);

export type Promotion = Static<typeof Promotion>;

const PromotionList = Type.Object(
  { promotions: Type.Array(Promotion) },
  { description: "The further environments of a project's result." },
);

const params = Type.Object({
  application_id: Id("application", "The application's id."),
  environment: Type.String({
    maxLength: 200,
    description: "The environment; `default` for the document's top level. The deployment's id names it, too.",
    examples: [topLevelEnvironment, "production"],
  }),
});

const path = "/api/v1/applications/{application_id}/deployments/{environment}";
const changed = [{ status: 200, description: "The deployment as it is now.", schema: Deployment }] as const;

function change<const Name extends string>(name: Name, summary: string, description: string) {
  return endpoint({
    method: "POST",
    path: `${path}/${name}` as const,
    tag: "Deployments",
    summary,
    description,
    access: withScope("projects:manage"),
    params,
    success: changed,
    problems: ["not_found", "conflict"],
  });
}

/** Deployments: what is live, and the commands that stop, start, switch and remove it. */
export const deploymentEndpoints = {
  listDeployments: endpoint({
    method: "GET",
    path: "/api/v1/applications/{application_id}/deployments",
    tag: "Deployments",
    summary: "List what is live of an application",
    access: withScope("projects:read"),
    params: Type.Object({ application_id: Id("application", "The application's id.") }),
    success: [{ status: 200, description: "The deployments, by environment.", schema: DeploymentList }],
    problems: ["not_found"],
  }),
  readDeployment: endpoint({
    method: "GET",
    path,
    tag: "Deployments",
    summary: "Read a deployment with its versions",
    description: "Its `ETag` covers everything but `traffic`.",
    access: withScope("projects:read"),
    params,
    isVersioned: true,
    success: [{ status: 200, description: "The deployment.", schema: DeploymentWithReleases }],
    problems: ["not_found", "conflict"],
  }),
  listReleases: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/deployments",
    tag: "Deployments",
    summary: "List what a project has deployed",
    access: withScope("projects:read"),
    params: projectParams,
    success: [{ status: 200, description: "The versions that the project made.", schema: ReleaseList }],
    problems: ["not_found"],
  }),
  deployProject: endpoint({
    method: "POST",
    path: "/api/v1/projects/{project_id}/deploy",
    tag: "Deployments",
    summary: "Deploy the result of a project to a further environment",
    description:
      "The very same files go there, with the environment's own settings, secrets and data: nothing is built again. If the document asks for an approval, it waits for that. The project's status does not change. What is on its way there, or live there already, is not deployed twice.",
    access: withScope("projects:manage"),
    params: projectParams,
    body: Type.Object(
      {
        environment: Type.String({
          minLength: 1,
          maxLength: 200,
          description: "An environment of the document; `default` for its top level.",
          examples: ["production"],
        }),
      },
      { additionalProperties: false },
    ),
    success: [{ status: 202, description: "It is on its way, or live already.", schema: Promotion }],
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  listPromotions: endpoint({
    method: "GET",
    path: "/api/v1/projects/{project_id}/promotions",
    tag: "Deployments",
    summary: "List the further environments that a project's result goes to",
    access: withScope("projects:read"),
    params: projectParams,
    success: [{ status: 200, description: "The promotions, in the order of their beginning.", schema: PromotionList }],
    problems: ["not_found"],
  }),
  rollBackDeployment: endpoint({
    method: "POST",
    path: `${path}/rollback` as const,
    tag: "Deployments",
    summary: "Make an earlier version live again",
    description:
      "Without `release_id`, the version that was live before. A version that still runs takes over at once.",
    access: withScope("projects:manage"),
    params,
    body: Type.Object(
      {
        release_id: Type.Optional(Id("release", "The version to go back to.")),
        reason: Type.Optional(
          Type.String({ maxLength: 500, description: "Why, for the history.", examples: ["Orders fail."] }),
        ),
      },
      { additionalProperties: false },
    ),
    success: changed,
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  stopDeployment: change("stop", "Stop what is deployed", "Its address, data and versions are kept."),
  startDeployment: change("start", "Start what was stopped", "It is live again at the same address, with its data."),
  restartDeployment: change("restart", "Restart what is deployed", "A new copy takes over before the old one ends."),
  scaleDeployment: endpoint({
    method: "POST",
    path: `${path}/scale` as const,
    tag: "Deployments",
    summary: "Change the number of copies",
    access: withScope("projects:manage"),
    params,
    body: Type.Object(
      { replicas: Type.Integer({ minimum: 1, maximum: 100, description: "How many copies run.", examples: [2] }) },
      { additionalProperties: false },
    ),
    success: changed,
    problems: ["not_found", "conflict", "invalid_body"],
  }),
  deleteDeployment: endpoint({
    method: "DELETE",
    path,
    tag: "Deployments",
    summary: "Take a deployment down and remove its versions and data",
    access: withScope("projects:manage"),
    params,
    success: [{ status: 204, description: "It was removed." }],
    problems: ["not_found", "conflict"],
  }),
} as const;
