/** The service described in the OpenAPI format, for people and for tools that make clients. */
export function openApiDocument(model) {
  const paths = {};
  const add = (path, method, operation) => {
    paths[path] = { ...paths[path], [method]: operation };
  };
  for (const resource of model.resources) describeResource(resource, add);
  for (const { path } of model.system.health)
    add(path, "get", { summary: "Whether the service is well", responses: { 200: { description: "It is." } } });
  for (const { method, path, status } of model.routes)
    add(path, method.toLowerCase(), { responses: { [status]: { description: "As described." } } });
  return {
    openapi: "3.1.0",
    info: { title: model.title, version: model.version, description: model.description },
    paths,
    components: {
      schemas: Object.fromEntries(model.resources.map((resource) => [resource.name, schemaOf(resource)])),
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function describeResource(resource, add) {
  const { path, title, statuses } = resource;
  const schema = { $ref: `#/components/schemas/${resource.name}` };
  const json = (content) => ({ content: { "application/json": { schema: content } } });
  const above = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => parameter(name, "path"));
  const own = [...above, parameter("id", "path")];
  const missing = { 404: { description: "Not found" } };
  const invalid = { [statuses.invalid]: { description: "Invalid, with the reason for each field" } };
  const list = {
    type: "object",
    properties: { [resource.list_key]: { type: "array", items: schema }, total: { type: "integer" } },
  };
  const queries = [...resource.filters, "q", "sort", "limit", "offset"].map((name) => parameter(name, "query"));
  if (resource.is_single) {
    add(path, "get", {
      summary: `Read the ${title}`,
      responses: { 200: { description: "As stored", ...json(schema) } },
    });
    for (const method of ["put", "patch"])
      add(path, method, {
        summary: `Change the ${title}`,
        requestBody: json(schema),
        responses: { [statuses.change]: { description: "Changed" }, ...invalid },
      });
    return;
  }
  const operations = [
    [
      path,
      "get",
      {
        summary: `List each ${title}`,
        parameters: [...above, ...queries],
        responses: { 200: { description: "A page of the list", ...json(list) } },
      },
    ],
    [
      path,
      "post",
      {
        summary: `Create a ${title}`,
        parameters: above,
        requestBody: json(schema),
        responses: { [statuses.create]: { description: "Created", ...json(schema) }, ...invalid },
      },
    ],
    [
      `${path}/{id}`,
      "get",
      {
        summary: `Read a ${title}`,
        parameters: own,
        responses: { 200: { description: "As stored", ...json(schema) }, ...missing },
      },
    ],
    [
      `${path}/{id}`,
      "put",
      {
        summary: `Replace a ${title}`,
        parameters: own,
        requestBody: json(schema),
        responses: { [statuses.change]: { description: "Replaced" }, ...missing, ...invalid },
      },
    ],
    [
      `${path}/{id}`,
      "patch",
      {
        summary: `Change a ${title}`,
        parameters: own,
        requestBody: json(schema),
        responses: { [statuses.change]: { description: "Changed" }, ...missing, ...invalid },
      },
    ],
    [
      `${path}/{id}`,
      "delete",
      {
        summary: `Delete a ${title}`,
        parameters: own,
        responses: { [statuses.remove]: { description: "Deleted" }, ...missing },
      },
    ],
  ];
  for (const [where, method, operation] of operations)
    if (resource.only === undefined || resource.only.includes(method.toUpperCase())) add(where, method, operation);
}

function parameter(name, place) {
  return { name, in: place, required: place === "path", schema: { type: "string" } };
}

function schemaOf({ fields }) {
  const required = Object.keys(fields).filter((name) => fields[name].required);
  const properties = Object.entries(fields).map(([name, field]) => [name, schemaOfField(field)]);
  return {
    type: "object",
    properties: {
      id: { type: "integer", readOnly: true },
      ...Object.fromEntries(properties),
      created_at: { type: "string", format: "date-time", readOnly: true },
      updated_at: { type: "string", format: "date-time", readOnly: true },
    },
    ...(required.length > 0 && { required }),
  };
}

const jsonTypes = { integer: "integer", number: "number", boolean: "boolean", list: "array", object: "object" };
const formats = { date: "date", datetime: "date-time", email: "email", url: "uri", password: "password" };

function schemaOfField({ type, values, of, min, max, min_length, max_length, pattern, default: fallback }) {
  if (type === "any") return {};
  if (type === "enum") return { enum: values, ...(fallback !== undefined && { default: fallback }) };
  return {
    type: jsonTypes[type] ?? "string",
    ...(formats[type] && { format: formats[type] }),
    ...(type === "password" && { writeOnly: true }),
    ...(of && { items: schemaOfField(of) }),
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(min_length !== undefined && { minLength: min_length }),
    ...(max_length !== undefined && { [type === "list" ? "maxItems" : "maxLength"]: max_length }),
    ...(pattern !== undefined && { pattern }),
    ...(fallback !== undefined && { default: fallback }),
  };
}
