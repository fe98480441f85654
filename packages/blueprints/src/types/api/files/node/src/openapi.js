import { covers } from "./access.js";
import { operationsOf } from "./operations.js";

/** The service described in the OpenAPI format, for tools that make clients. */
export function openApiDocument(model) {
  const paths = {};
  for (const operation of operationsOf(model))
    paths[operation.path] = { ...paths[operation.path], [operation.method.toLowerCase()]: describe(model, operation) };
  return {
    openapi: "3.1.0",
    info: { title: model.title, version: model.version, description: model.description },
    paths,
    components: {
      schemas: Object.fromEntries(model.resources.map((resource) => [resource.name, schemaOf(resource)])),
      securitySchemes: { token: schemeOf(model.auth) },
    },
  };
}

/** Whether an operation asks who the caller is. */
export function isClosed(model, { method, path, who }) {
  return !who.includes("anyone") || model.protects.some(({ rule }) => covers(rule, method, path));
}

function schemeOf({ header }) {
  return header === undefined ? { type: "http", scheme: "bearer" } : { type: "apiKey", in: "header", name: header };
}

function describe(model, operation) {
  const { path, summary, resource, body, query = [], answers, returns } = operation;
  const isGuarded = isClosed(model, operation);
  const json = (schema) => ({ content: { "application/json": { schema } } });
  const schema = resource && { $ref: `#/components/schemas/${resource.name}` };
  const list = resource && {
    type: "object",
    properties: {
      [resource.list_key]: { type: "array", items: schema },
      ...Object.fromEntries(["total", "limit", "offset"].map((name) => [name, { type: "integer" }])),
    },
  };
  const content = returns === undefined ? {} : json(returns === "list" ? list : schema);
  const refused = isGuarded ? { 401: "Nobody is logged in", 403: "Not allowed" } : {};
  const responses = Object.entries({ ...answers, ...refused }).map(([status, description]) => [
    status,
    { description, ...(status < 300 && status !== "204" && content) },
  ]);
  return {
    summary,
    ...(resource && { tags: [resource.title] }),
    parameters: [
      ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter(name, "path")),
      ...query.map((name) => parameter(name, "query")),
    ],
    ...(body && { requestBody: json(body === resource ? schema : schemaOf(body)) }),
    responses: Object.fromEntries(responses),
    ...(isGuarded && { security: [{ token: [] }] }),
  };
}

function parameter(name, place) {
  return { name, in: place, required: place === "path", schema: { type: "string" } };
}

function schemaOf({ fields, description }) {
  const required = Object.keys(fields).filter((name) => fields[name].required);
  const properties = Object.entries(fields).map(([name, field]) => [name, schemaOfField(field)]);
  return {
    type: "object",
    ...(description && { description }),
    properties: {
      id: { type: "integer", readOnly: true },
      ...Object.fromEntries(properties),
      created_at: { type: "string", format: "date-time", readOnly: true },
      updated_at: { type: "string", format: "date-time", readOnly: true },
    },
    ...(required.length > 0 && { required }),
  };
}

const jsonTypes = {
  integer: "integer",
  number: "number",
  boolean: "boolean",
  list: "array",
  object: "object",
  reference: "integer",
};
const formats = { date: "date", datetime: "date-time", time: "time", email: "email", url: "uri", password: "password" };

function schemaOfField(field) {
  const { type, values, of, min, max, min_length, max_length, pattern, default: fallback, label, description } = field;
  const texts = { ...(label && { title: label }), ...(description && { description }) };
  if (type === "any") return texts;
  if (type === "enum") return { ...texts, enum: values, ...(fallback !== undefined && { default: fallback }) };
  return {
    ...texts,
    type: jsonTypes[type] ?? "string",
    ...(formats[type] && { format: formats[type] }),
    ...(type === "password" && { writeOnly: true }),
    ...((field.is_owner || field.computed) && { readOnly: true }),
    ...(of && { items: schemaOfField(of) }),
    ...(typeof min === "number" && { minimum: min }),
    ...(typeof max === "number" && { maximum: max }),
    ...(min_length !== undefined && { [type === "list" ? "minItems" : "minLength"]: min_length }),
    ...(max_length !== undefined && { [type === "list" ? "maxItems" : "maxLength"]: max_length }),
    ...(pattern !== undefined && { pattern }),
    ...(fallback !== undefined && { default: fallback }),
  };
}
