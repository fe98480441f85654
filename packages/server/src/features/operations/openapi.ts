import {
  type Access,
  type Endpoint,
  endpoints,
  exampleEvents,
  Problem,
  type ProblemCode,
  problems,
  scopes,
  WebhookBody,
  type WebhookEventName,
  webhookEventNames,
} from "@slipway/contract";
import { writeBody } from "../webhooks/index.ts";
import { headerComponents, headersOfRefusal, headersOfSuccess } from "./describe-headers.ts";

type Json = Record<string, unknown>;

const apiTitle = "Slipway";
const apiDescription = "Takes a specification document for a piece of software and brings it to life.";
const license = { name: "Apache-2.0", identifier: "Apache-2.0" };

/** Problems that any endpoint may answer with. */
const commonProblems: readonly ProblemCode[] = [
  "malformed_request",
  "invalid_parameter",
  "method_not_allowed",
  "request_timeout",
  "headers_too_large",
  "internal_error",
  "shutting_down",
  "database_unavailable",
];
const withToken: readonly ProblemCode[] = ["unauthenticated", "forbidden", "rate_limited"];
const withKey: readonly ProblemCode[] = ["request_in_flight", "idempotency_mismatch"];
const withMatch: readonly ProblemCode[] = ["precondition_failed"];
/** Also where no body is expected, because a body that is sent all the same is read. */
const withBody: readonly ProblemCode[] = ["too_large", "unsupported_media_type"];

const scopeList = Object.entries(scopes)
  .map(([scope, opens]) => `- \`${scope}\`: ${opens}`)
  .join("\n");

/** The OpenAPI 3.1 document, generated from the endpoints of the contract. */
export function openApiDocument(version: string): Json {
  const paths: Record<string, Json> = {};
  for (const [name, described] of Object.entries(endpoints) as [string, Endpoint][]) {
    for (const [index, path] of [described.path, ...(described.aliases ?? [])].entries()) {
      const operationId = index === 0 ? name : `${name}Alias`;
      paths[path] = { ...paths[path], [described.method.toLowerCase()]: operation(operationId, described) };
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: apiTitle, version, description: apiDescription, license },
    servers: [{ url: "/" }],
    tags: [...new Set(Object.values(endpoints).map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    webhooks: Object.fromEntries(webhookEventNames.map((name) => [name, webhook(name)])),
    components: {
      schemas: { Problem },
      headers: headerComponents(),
      securitySchemes: {
        token: {
          type: "http",
          scheme: "bearer",
          description: `A user token, or an API key with scopes:\n\n${scopeList}`,
        },
      },
    },
  };
}

function operation(operationId: string, described: Endpoint): Json {
  const { tag, summary, description, access, body, takesDocument, isPlan, takesBytes } = described;
  const needs =
    access.kind === "scope"
      ? `Needs the scope \`${access.scope}\`.`
      : access.kind === "anyScope"
        ? `Needs one of the scopes ${access.scopes.map((scope) => `\`${scope}\``).join(", ")}.`
        : access.kind === "user"
          ? `Needs a user token of ${access.roles.join(", ")}.`
          : undefined;
  return {
    operationId,
    tags: [tag],
    summary,
    description: [description, needs].filter(Boolean).join("\n\n"),
    security: securityOf(access),
    parameters: parameters(described),
    ...(body !== undefined && {
      requestBody: { required: "required" in body, content: { "application/json": { schema: body } } },
    }),
    ...(takesDocument && { requestBody: isPlan ? planBody : documentBody }),
    ...(takesBytes !== undefined && {
      requestBody: { required: true, description: "The bytes, of any media type.", content: { "*/*": {} } },
    }),
    responses: { ...successes(described), ...refusals(described) },
  };
}

function securityOf(access: Access): Json[] {
  switch (access.kind) {
    case "open":
      return [];
    case "scope":
      return [{ token: [access.scope] }];
    case "anyScope":
      return access.scopes.map((scope) => ({ token: [scope] }));
    case "user":
    case "metrics":
      return [{ token: [] }];
  }
}

const documentBody = yamlBody({
  description: "A specification document.",
  schema: "The document; its schema is at /api/v1/schema/spec.json.",
  example:
    'spec_version: "1.0.0"\nid: hello\nname: Hello\ndescription: Says hello.\noutcome_type: api\nstack: {}\nacceptance:\n  http_endpoints:\n    - path: /health\n',
});

const planBody = yamlBody({
  description: "The tasks of a plan.",
  schema: "The whole `tasks.yaml`.",
  example: "tasks:\n  - id: build-hello\n    title: Build Hello\n    phase: implementation\n    estimated_hours: 2\n",
});

function yamlBody({ description, schema, example }: { description: string; schema: string; example: string }): Json {
  return {
    required: true,
    description,
    content: {
      "application/yaml": { schema: { type: "string", description: schema }, example },
      "application/x-yaml": { schema: { type: "string", description: "The same." } },
      "text/yaml": { schema: { type: "string", description: "The same." } },
      "application/json": { schema: { type: "object", description: "The same as JSON." } },
    },
  };
}

function parameters({ method, params, query, headers = {}, isVersioned }: Endpoint): Json[] {
  const ofPath = Object.entries(params?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "path",
    required: true,
    ...schemaWithDescription(schema),
  }));
  const ofQuery = Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    required: query?.required?.includes(name) ?? false,
    ...schemaWithDescription(schema),
  }));
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: false,
    description,
    schema: { type: "string" },
  });
  return [
    ...ofPath,
    ...ofQuery,
    ...Object.entries(headers).map(([name, description]) => header(name, description)),
    header("X-Request-Id", "Your id for the request; the answer and the log contain it."),
    ...(method === "POST"
      ? [header("Idempotency-Key", "Repeats with the same key within 24 hours get the first answer.")]
      : []),
    ...(method === "GET"
      ? []
      : [header("If-Match", "The ETag that you have; the answer is 412 if it is not current.")]),
    ...(isVersioned ? [header("If-None-Match", "The ETag that you have; the answer is 304 while it is current.")] : []),
  ];
}

function schemaWithDescription(schema: unknown): Json {
  const { description } = schema as { description?: string };
  return { schema, ...(description !== undefined && { description }) };
}

function successes(described: Endpoint): Json {
  const answers: Json = {};
  for (const success of described.success) {
    const { status, description, schema, mediaTypes = [] } = success;
    const headers = headersOfSuccess(described, success);
    const content = {
      ...(schema !== undefined && { "application/json": { schema } }),
      ...Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: "string" } }])),
    };
    answers[status] = { description, headers, ...(Object.keys(content).length > 0 && { content }) };
    if (described.isVersioned) answers[304] = { description: "Your version is current.", headers };
  }
  return answers;
}

function refusals(described: Endpoint): Json {
  const { problems: own, access, method } = described;
  const codes = [
    ...commonProblems,
    ...own,
    ...(access.kind === "open" ? [] : withToken),
    ...(method === "POST" ? withKey : []),
    ...(method === "GET" ? [] : withMatch),
    ...(method === "GET" ? [] : withBody),
  ];
  const byStatus = Map.groupBy(new Set(codes), (code) => problems[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${problems[code].title}.`).join(" "),
        headers: headersOfRefusal(described, status),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  );
}

/** The secret that signs the examples, so that readers can try out a verifier. */
const exampleSecret = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x";

function webhook(name: WebhookEventName): Json {
  const schema = WebhookBody(name);
  const { timestamp, project_id, data } = exampleEvents[name];
  const body = writeBody({ event: name, timestamp, project_id, data }, exampleSecret);
  const example: unknown = JSON.parse(body);
  const header = (about: string, value: string, required = true) => ({
    name: about,
    in: "header",
    required,
    description: webhookHeaders[about],
    schema: { type: "string" },
    example: value,
  });
  return {
    post: {
      operationId: `on ${name}`,
      tags: ["Webhooks"],
      summary: String((schema as { description?: string }).description),
      description: `The example is signed with the secret \`${exampleSecret}\`.`,
      parameters: [
        header("webhook-id", "evt_01kaw3v9t2h5m8q1x7zc"),
        header("webhook-timestamp", "1794735000"),
        header("webhook-signature", "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="),
        header("webhook-attempt", "1"),
        header("webhook-sequence", "7", false),
      ],
      requestBody: { required: true, content: { "application/json": { schema, example } } },
      responses: {
        "2XX": { description: "Received." },
        410: { description: "The receiver is gone: the service disables the webhook." },
        default: { description: "The service tries again later." },
      },
    },
  };
}

const webhookHeaders: Readonly<Record<string, string>> = {
  "webhook-id": "The id of the event, the same on every attempt; use it to deduplicate.",
  "webhook-timestamp": "When this attempt began, in seconds since 1970.",
  "webhook-signature": "`v1,` and the base64 signature of `id.timestamp.body`; several while a secret is rotated.",
  "webhook-attempt": "Which attempt this is, from 1.",
  "webhook-sequence": "Counts the events of the project for this webhook, from 1 and without gaps.",
};
