import type { Unmet } from "../plugin.ts";
import { crossedLimit } from "./limits.ts";
import type { KeptModel } from "./read-entities.ts";
import { fieldsOf as mapOf } from "./read-value.ts";

type GivenField = NonNullable<KeptModel[string]["fields"]>[string];

/** A field of a record, as the generated program reads it. */
export interface Field {
  readonly name: string;
  readonly type: string;
  readonly label: string;
  readonly hint?: string;
  readonly required?: true;
  readonly unique?: true;
  readonly hidden?: true;
  readonly min?: number | string;
  readonly max?: number | string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly decimals?: number;
  readonly values?: readonly string[];
  readonly initial?: unknown;
  /** What a reference leads to. */
  readonly to?: string;
  readonly onDelete?: string;
  /** The name that it had before. */
  readonly was?: string;
}

/** Whether a name is safe as a key of a record and of a form. */
export function isPlainName(name: string): boolean {
  return /^[A-Za-z_]\w{0,60}$/.test(name) && !(name in {}) && name !== "id";
}

/** What people read instead of a name such as `due_back`. */
export function labelOf(name: string): string {
  const words = name.replace(/_id$/, "").replaceAll("_", " ").trim();
  return words === "" ? name : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The reference by which a record belongs to another. */
export function referenceTo(entity: string, onDelete: string): Field {
  return { name: `${entity}_id`, type: "reference", label: labelOf(entity), required: true, to: entity, onDelete };
}

const texts = ["string", "text", "email", "url", "date", "datetime", "time", "enum"];

/** Reads a field; `entities` are what a reference can lead to. */
export function fieldOf(
  name: string,
  value: GivenField,
  entities: readonly string[],
  pointer: string,
  unmet: Unmet[],
): Field {
  const field: Exclude<GivenField, string> = typeof value === "string" ? { type: value } : value;
  const refuse = (place: string, reason: string) => unmet.push({ pointer: pointer + place, reason });
  const values = valuesOf(field.values, refuse);
  const type = typeOf(name, field, values, entities, refuse);
  if (values.length > 0 && type !== "enum") refuse("/values", `A field of the type ${type} takes other values too.`);
  if (type !== "reference" && field.to !== undefined) refuse("/to", `A field of the type ${type} leads nowhere.`);
  const isNumber = type === "integer" || type === "number";
  const isLine = type === "string" || type === "text" || type === "email" || type === "url";
  const to = type === "reference" ? targetOf(name, field.to, entities) : undefined;
  return {
    name,
    type,
    label: field.label ?? labelOf(name),
    ...(field.description !== undefined && { hint: field.description }),
    ...(field.required === true && { required: true }),
    ...(field.unique === true && { unique: true }),
    ...(field.hidden === true && { hidden: true }),
    ...(isNumber || type === "date" ? limitsOf(field, isNumber, refuse) : {}),
    ...(isLine && lengthsOf(field, refuse)),
    ...(isLine && patternOf(field.pattern, refuse)),
    ...(isNumber && field.decimals !== undefined && { decimals: field.decimals }),
    ...(type === "enum" && { values }),
    ...initialOf(field.default, type, values, refuse),
    ...(to !== undefined && { to, onDelete: field.on_delete ?? "restrict" }),
    ...(field.was !== undefined && { was: field.was }),
  };
}

type Refuse = (place: string, reason: string) => void;

function valuesOf(given: readonly unknown[] | undefined, refuse: Refuse): readonly string[] {
  const all = given?.map((value) => value) ?? [];
  if (all.some((value) => typeof value !== "string")) refuse("/values", "Values that are no texts are kept as texts.");
  return [...new Set(all.map(String))];
}

function typeOf(
  name: string,
  { type: given, to }: Exclude<GivenField, string>,
  values: readonly string[],
  entities: readonly string[],
  refuse: Refuse,
): string {
  const plain = given ?? (to !== undefined ? "reference" : "string");
  const type = plain === "string" && values.length > 0 ? "enum" : plain;
  if (type === "enum" && values.length === 0) {
    refuse("", "It says no 'values': any text is taken.");
    return "string";
  }
  if (type === "reference" && targetOf(name, to, entities) === undefined) {
    refuse("", "It leads to nothing that is kept: say what by 'to'. A number is kept.");
    return "integer";
  }
  if (texts.includes(type) || ["integer", "number", "boolean", "reference"].includes(type)) return type;
  refuse("", `A field of the type ${type} is kept as a text.`);
  return "text";
}

function targetOf(name: string, to: string | undefined, entities: readonly string[]): string | undefined {
  const wanted = to ?? name.replace(/_id$/, "");
  return entities.find((entity) => entity === wanted);
}

function limitsOf(
  { min, max }: Exclude<GivenField, string>,
  isNumber: boolean,
  refuse: Refuse,
): Pick<Field, "min" | "max"> {
  const read = (key: "min" | "max", value: number | string | undefined) => {
    if (value === undefined) return {};
    const isRight = isNumber ? typeof value === "number" : isDay(value);
    if (!isRight) refuse(`/${key}`, isNumber ? "This is no number." : "This is no day.");
    return isRight ? { [key]: value } : {};
  };
  return uncrossed({ ...read("min", min), ...read("max", max) }, refuse);
}

function lengthsOf({ min_length, max_length }: Exclude<GivenField, string>, refuse: Refuse) {
  const { min_length: minLength, max_length: maxLength } = uncrossed({ min_length, max_length }, refuse);
  return { ...(minLength !== undefined && { minLength }), ...(maxLength !== undefined && { maxLength }) };
}

function uncrossed<Limits extends Parameters<typeof crossedLimit>[0]>(limits: Limits, refuse: Refuse): Partial<Limits> {
  const crossed = crossedLimit(limits);
  if (crossed === undefined) return limits;
  refuse(`/${crossed.key}`, crossed.reason);
  return {};
}

function patternOf(pattern: string | undefined, refuse: Refuse): Pick<Field, "pattern"> {
  if (pattern === undefined) return {};
  try {
    new RegExp(pattern, "u");
    return { pattern };
  } catch {
    refuse("/pattern", "This is no regular expression.");
    return {};
  }
}

function initialOf(given: unknown, type: string, values: readonly string[], refuse: Refuse): Pick<Field, "initial"> {
  if (given === undefined) return type === "boolean" ? { initial: false } : {};
  const initial = typedValue(type, given, values);
  if (initial === undefined) refuse("/default", `This is no value of a field of the type ${type}.`);
  return initial === undefined ? {} : { initial };
}

/** The value, if it has the type of the field; else undefined. */
export function typedValue(type: string, value: unknown, values: readonly string[] = []): unknown {
  if (type === "date") return isDay(value) ? value : daysAway(value);
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  if (type === "integer" || type === "reference") return Number.isInteger(value) ? value : undefined;
  if (type === "number") return typeof value === "number" ? value : undefined;
  if (type === "enum") return values.includes(String(value)) ? String(value) : undefined;
  if (type === "time") return /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(String(value)) ? value : undefined;
  return typeof value === "string" ? value : undefined;
}

function isDay(value: unknown): boolean {
  return typeof value === "string" && /^(?:today|tomorrow|yesterday|\d{4}-\d\d-\d\d)$/.test(value);
}

function daysAway(value: unknown): unknown {
  const { days_ago: ago, days_from_now: ahead } = mapOf(value);
  if (typeof ago === "number") return { days_ago: Math.round(ago) };
  return typeof ahead === "number" ? { days_from_now: Math.round(ahead) } : undefined;
}
