import fc from "fast-check";

/** What of JSON Schema the contract uses. */
interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Values that a schema allows; those at its edges too. */
export function arbitraryOf(described: unknown): fc.Arbitrary<unknown> {
  const schema = described as Schema;
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(arbitraryOf));
  switch (schema.type) {
    case "object":
      return objectOf(schema);
    case "array":
      return arrayOf(schema);
    case "string":
      return stringOf(schema);
    case "integer":
      return fc.integer({ min: schema.minimum ?? -1_000_000, max: schema.maximum ?? 1_000_000 });
    case "number":
      return fc.double({ min: schema.minimum ?? -1e9, max: schema.maximum ?? 1e9, noNaN: true });
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    default:
      throw new Error(`There is no arbitrary for ${JSON.stringify(schema)}.`);
  }
}

function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<unknown> {
  const parts = Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, arbitraryOf(part)]));
  return fc.record(parts, { requiredKeys: [...required] });
}

function arrayOf({ items = {}, minItems = 0, maxItems = 5, uniqueItems = false }: Schema): fc.Arbitrary<unknown> {
  const lengths = { minLength: minItems, maxLength: maxItems };
  return uniqueItems ? fc.uniqueArray(arbitraryOf(items), lengths) : fc.array(arbitraryOf(items), lengths);
}

function stringOf({ format, pattern, minLength = 0, maxLength = 200 }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") return timeText;
  const lengths = { minLength, maxLength };
  const text = fc.oneof(fc.string(lengths), fc.string({ ...lengths, unit: "binary" }), hostileText);
  const fits = (one: string) =>
    [...one].length >= minLength &&
    [...one].length <= maxLength &&
    (pattern === undefined || new RegExp(pattern, "u").test(one));
  return fc.oneof(text, fc.stringMatching(/^[a-z]{1,9}$/)).filter(fits);
}

/** What the format allows and calendars do not like. */
const timeText = fc.oneof(
  fc.date({ noInvalidDate: true, min: new Date(0), max: new Date("9999-12-31") }).map((date) => date.toISOString()),
  fc.constantFrom(
    "2016-12-31T23:59:60Z",
    "0000-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "2026-11-15t09:30:00z",
    "2026-11-15 09:30:00+23:59",
    "0001-01-01T00:00:00-23:59",
  ),
);

/** Texts that programs stumble over. */
export const hostileText = fc.constantFrom(
  "",
  " ",
  "\u0000",
  "a\u0000b",
  "\ud800",
  "a\udfffb",
  "\u202e\ufeff",
  "😀".repeat(50),
  "x".repeat(9_999),
  "%",
  "_",
  "\\",
  "'; drop table projects; --",
  "../../etc/passwd",
  "__proto__",
  "constructor",
  "{{secrets.X}}",
  "-1",
  "1e999",
  "NaN",
  "null",
  "\r\nX-Injected: 1",
);

const hostileValue = fc.oneof(
  hostileText,
  fc.constantFrom<unknown>(null, true, -1, 0.5, 1e308, Number.MAX_SAFE_INTEGER + 1, [], {}, [[]], { toString: 1 }),
  fc.integer({ min: 50, max: 2_000 }).map((depth) => JSON.parse("[".repeat(depth) + "]".repeat(depth)) as unknown),
  fc.jsonValue(),
);

/** The value with something in it exchanged, removed or added. */
export function mutated(values: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const where = fc.nat();
  const how = fc.constantFrom("exchange", "remove", "add");
  return fc.oneof(
    { weight: 5, arbitrary: fc.tuple(values, where, how, hostileValue).map((parts) => mutate(...parts)) },
    { weight: 1, arbitrary: hostileValue },
  );
}

type Mutation = "exchange" | "remove" | "add";

function mutate(value: unknown, where: number, how: Mutation, hostile: unknown): unknown {
  const copy = structuredClone(value);
  const places = containersIn(copy).flatMap((container) => Object.keys(container).map((key) => ({ container, key })));
  const place = places[where % Math.max(places.length, 1)];
  if (place === undefined) return hostile;
  const container = place.container as Record<string, unknown>;
  if (how === "exchange") container[place.key] = hostile;
  else if (how === "remove") delete container[place.key];
  else container[typeof hostile === "string" ? hostile : "unknown"] = hostile;
  return copy;
}

function containersIn(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(containersIn)];
}
