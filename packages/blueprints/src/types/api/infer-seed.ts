import { isIn } from "./answers.ts";
import type { FieldModel, ResourceModel } from "./model.ts";
import type { PathShape } from "./path-shape.ts";
import { type ExpectedRequest, fieldsOf, isSuccess } from "./read-requests.ts";

type Values = Readonly<Record<string, unknown>>;

/**
 * Records that must exist from the start, because a request expects them that no request creates: `GET /users/1 → 200`,
 * or a list that contains a string nobody sent.
 */
export function inferSeed(
  resource: ResourceModel,
  shape: PathShape,
  own: readonly ExpectedRequest[],
): readonly Values[] {
  const seeds = new Map<string, Values>();
  for (const request of own) {
    const last = request.shape.segments.at(-1);
    if (!isSuccess(request) || last === undefined || !("parameter" in last) || last.literal === undefined) continue;
    const id = /^\d{1,15}$/.test(last.literal) ? Number(last.literal) : last.literal;
    seeds.set(
      last.literal,
      withTexts(resource, { id, ...(seeds.get(last.literal) ?? example(resource)) }, request.contains),
    );
  }
  const sent: unknown[] = [];
  for (const request of own) {
    if (request.method === "POST") sent.push(fieldsOf(request) ?? {});
    if (request.method !== "GET" || request.shape.key !== shape.key || !isSuccess(request)) continue;
    const page = { [resource.list_key]: [...sent, ...seeds.values()], total: 0, limit: 0, offset: 0 };
    const missing = request.contains.filter((text) => /\p{L}|\d/u.test(text) && !isIn(page, text));
    if (missing.length > 0)
      seeds.set("1", withTexts(resource, { id: 1, ...(seeds.get("1") ?? example(resource)) }, missing));
  }
  const at = "2020-01-01T00:00:00.000Z";
  return [...seeds.values()].map((record) => ({ ...record, created_at: at, updated_at: at }));
}

/** A record with a value in every required field. */
function example({ fields, parent }: Pick<ResourceModel, "fields" | "parent">): Values {
  const values = Object.entries(fields)
    .filter(([, field]) => field.required === true || field.default !== undefined)
    .map(([name, field]) => [name, exampleValue(name, field)]);
  return { ...(parent !== undefined && { [parent.field]: 1 }), ...Object.fromEntries(values) };
}

/** A value that fits a field. */
function exampleValue(name: string, field: FieldModel): unknown {
  if (field.default !== undefined) return field.default;
  const number = Math.min(Math.max(1, field.min ?? 1), field.max ?? Number.POSITIVE_INFINITY);
  const text = `Example ${name}`.slice(0, field.max_length ?? 200).padEnd(field.min_length ?? 0, "x");
  switch (field.type) {
    case "integer":
      return Math.ceil(number);
    case "number":
      return number;
    case "boolean":
      return false;
    case "date":
      return "2030-05-04";
    case "datetime":
      return "2030-05-04T10:00:00Z";
    case "email":
      return "someone@example.org";
    case "url":
      return "https://example.org/";
    case "enum":
      return field.values?.[0] ?? "";
    case "list":
      return field.of === undefined ? [] : [exampleValue(name, field.of)];
    case "object":
      return {};
    case "string":
    case "text":
    case "password":
    case "any":
      return text;
  }
}

/** The record with the texts in it: in a string field if there is one, else in a field of their own. */
function withTexts({ fields }: ResourceModel, record: Values, texts: readonly string[]): Values {
  const names = Object.keys(fields).filter((name) => ["string", "text"].includes(fields[name]!.type));
  const filled: Record<string, unknown> = { ...record };
  for (const text of texts) {
    if (isIn(filled, text)) continue;
    const quoted = /^"([^"]+)"$/.exec(text)?.[1];
    const field = quoted !== undefined && Object.hasOwn(fields, quoted) ? fields[quoted] : undefined;
    const name = names.find((candidate) => !texts.some((other) => filled[candidate] === other)) ?? "name";
    if (quoted !== undefined && field !== undefined) filled[quoted] = exampleValue(quoted, field);
    else filled[name] = quoted ?? text;
  }
  return filled;
}
