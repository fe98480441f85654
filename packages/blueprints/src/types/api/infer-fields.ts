import type { FieldModel, FieldType } from "./model.ts";
import { type ExpectedRequest, expects, fieldsOf, isSuccess } from "./read-requests.ts";

/** Infers the fields of a resource from request bodies: accepted bodies show the types, refused bodies the limits. */
export function inferFields(requests: readonly ExpectedRequest[]): Readonly<Record<string, FieldModel>> {
  const taken = requests.filter(isSuccess).map((request) => fieldsOf(request) ?? {});
  const refused = requests
    .filter(
      (request) =>
        request.method !== "GET" && request.method !== "DELETE" && expects(request, 400, 422) && !isSuccess(request),
    )
    .map((request) => ({ isWhole: request.method !== "PATCH", fields: fieldsOf(request) ?? {} }));
  const created = requests
    .filter((request) => isSuccess(request) && request.method === "POST")
    .map((request) => fieldsOf(request) ?? {});
  const conflicts = requests
    .filter((request) => expects(request, 409) && !isSuccess(request))
    .map((request) => fieldsOf(request) ?? {});
  const names = [
    ...new Set(
      [...taken, ...refused.map(({ fields }) => fields), ...conflicts].flatMap((fields) => Object.keys(fields)),
    ),
  ];
  const always = names.filter((name) => created.length > 0 && created.every((fields) => Object.hasOwn(fields, name)));
  const unique = uniqueField(always, created, conflicts);
  const fields = names
    .filter((name) => !["id", "created_at", "updated_at", "__proto__"].includes(name))
    .map((name) => {
      const good = taken.filter((body) => Object.hasOwn(body, name)).map((body) => body[name]);
      const field = { type: typeOf(name, good), ...(name === unique && { unique: true }) };
      return [name, field] as const;
    });
  return Object.fromEntries(
    refused.reduce((known, { fields: body, isWhole }) => refuse(known, always, body, isWhole, taken), fields),
  );
}

type Fields = (readonly [string, FieldModel])[];

/** Makes the fields refuse a body: for a missing field, else for a wrong value. */
function refuse(
  fields: Fields,
  always: readonly string[],
  body: Readonly<Record<string, unknown>>,
  isWhole: boolean,
  taken: readonly Readonly<Record<string, unknown>>[],
): Fields {
  const lacking = isWhole
    ? always.filter((name) => body[name] === undefined || body[name] === null || body[name] === "")
    : [];
  if (lacking.length > 0)
    return fields.map(([name, field]) => [name, lacking.includes(name) ? { ...field, required: true } : field]);
  return fields.map(([name, field]) => {
    if (!Object.hasOwn(body, name)) return [name, field];
    const good = taken.filter((other) => Object.hasOwn(other, name)).map((other) => other[name]);
    return [name, { ...field, ...limitAgainst(field, body[name], good) }];
  });
}

/** The limit that the bad value breaks and the good ones keep. */
function limitAgainst(field: FieldModel, bad: unknown, good: readonly unknown[]): Partial<FieldModel> {
  if (good.includes(bad)) return {};
  if (bad === "" || bad === null) return { required: true };
  if (typeof bad === "number" && (field.type === "integer" || field.type === "number" || good.length === 0)) {
    const numbers = good.filter((value) => typeof value === "number");
    const lowest = Math.min(...numbers, 0);
    if (bad < 0 && lowest >= 0) return { min: 0, ...(good.length === 0 && { type: "number" }) };
    if (bad === 0 && Math.min(...numbers, 1) >= 1) return { min: 1 };
    return numbers.length > 0 && bad > Math.max(...numbers) ? { max: bad - 1 } : {};
  }
  if (typeof bad === "string" && field.type === "string" && good.length > 0) {
    const texts = good.filter((value) => typeof value === "string");
    const maxLength = Math.max(...texts.map(({ length }) => length));
    if (bad.length > Math.max(100, maxLength)) return { max_length: Math.max(maxLength, bad.length - 1) };
    if (bad.length < Math.min(...texts.map(({ length }) => length)) && bad.length < 4)
      return { min_length: bad.length + 1 };
    return { type: "enum", values: [...new Set(texts)] };
  }
  return {};
}

const emailName = /e-?mail$/i;

function typeOf(name: string, values: readonly unknown[]): FieldType {
  if (/^pass(word|phrase)$/i.test(name)) return "password";
  const types = new Set(values.filter((value) => value !== null).map((value) => typeOfValue(name, value)));
  if (types.size === 2 && types.has("integer") && types.has("number")) return "number";
  if (types.size === 0) return emailName.test(name) ? "email" : "any";
  return types.size === 1 ? [...types][0]! : "any";
}

function typeOfValue(name: string, value: unknown): FieldType {
  if (typeof value === "number")
    return Number.isInteger(value) && !/price|amount|cost|total|rate/i.test(name) ? "integer" : "number";
  if (typeof value === "boolean") return "boolean";
  if (Array.isArray(value)) return "list";
  if (typeof value === "object") return "object";
  const text = String(value);
  if (emailName.test(name) && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) return "email";
  if (/^(url|link|website|homepage)$|_url$/i.test(name) && /^https?:\/\//i.test(text)) return "url";
  return /^\d{4}-\d\d-\d\d$/.test(text) ? "date" : "string";
}

/** The field whose repetition is refused with 409. */
function uniqueField(
  always: readonly string[],
  created: readonly Readonly<Record<string, unknown>>[],
  conflicts: readonly Readonly<Record<string, unknown>>[],
): string | undefined {
  if (conflicts.length === 0) return undefined;
  const repeated = always.filter((name) =>
    conflicts.every((body) => created.some((other) => other[name] === body[name])),
  );
  return repeated.find((name) => /e-?mail|user_?name|login|slug|sku|code|isbn|name|title/i.test(name)) ?? repeated[0];
}
