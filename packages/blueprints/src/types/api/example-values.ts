import { textsFor } from "../../kit/match-pattern.ts";
import { misfit } from "./misfit.ts";
import type { FieldModel, ResourceModel } from "./model.ts";

/** Values of fields that the tests of a result cannot find by themselves. */
export type ExampleValues = Readonly<Record<string, readonly unknown[]>>;

/** As many as a test may need records that differ, such as one for each role. */
const maxExamples = 12;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstDay = Date.parse("2030-05-04T10:00:00Z");
const dated = ["date", "datetime", "time"];

/**
 * For fields with a pattern, with a span of time, or that no two records share: values that fit and that no record of
 * the seed has. None, if none is known.
 */
export function exampleValues({ fields, seed }: Pick<ResourceModel, "fields" | "seed">): ExampleValues {
  const entries = Object.entries(fields).flatMap(([name, field], index) => {
    const isLimited = dated.includes(field.type) && (field.min !== undefined || field.max !== undefined);
    const isShaped = field.pattern !== undefined || field.of?.pattern !== undefined;
    const isSet = field.is_owner === true || field.is_role === true || field.computed !== undefined;
    const isOpen = field.type !== "reference" && !isSet;
    if (!isOpen || !(field.unique === true || isShaped || isLimited)) return [];
    const taken = field.unique === true ? seed.map((record) => record[name] ?? field.default) : [];
    return [[name, fitting(field, index, taken)] as const];
  });
  return Object.fromEntries(entries);
}

function fitting(field: FieldModel, index: number, taken: readonly unknown[]): readonly unknown[] {
  const seen = new Set(taken.map(keyOf));
  const found: unknown[] = [];
  for (const value of candidates(field, index, taken.length + maxExamples)) {
    const key = keyOf(value);
    if (seen.has(key) || misfit({ ...field, required: true }, value) !== undefined) continue;
    seen.add(key);
    found.push(value);
    if (found.length === maxExamples) break;
  }
  return found;
}

/** Nobody has two addresses that differ in capitals only; a number and its text are the same to the result. */
function keyOf(value: unknown): string {
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).toLowerCase();
}

function candidates(field: FieldModel, index: number, count: number): Iterable<unknown> {
  switch (field.type) {
    case "enum":
      return field.default === undefined ? field.values! : [field.default, ...field.values!];
    case "boolean":
      return [true, false];
    case "integer":
    case "number":
      return numbers(field, count);
    case "date":
    case "datetime":
      return moments(field, index, count);
    case "time":
      return times(index);
    case "list":
      return lists(field, count);
    case "object":
      return Array.from({ length: count }, (_, number) => ({ number }));
    case "any":
    case "reference":
      return Array.from({ length: count }, (_, number) => number);
    case "string":
    case "text":
    case "password":
    case "email":
    case "url":
      return texts(field, count);
  }
}

function* numbers({ type, min, max }: FieldModel, count: number): Generator<number> {
  const [least, most] = [min, max].map((limit) => (typeof limit === "number" ? limit : undefined));
  const whole = type === "integer";
  const from = least ?? Math.min(1, most ?? 1);
  const first = whole ? Math.ceil(from) : from;
  for (let number = 0; number < count; number += 1) yield first + number;
  for (let number = 0; number < count && most !== undefined; number += 1)
    yield (whole ? Math.floor(most) : most) - number;
  if (whole || most === undefined) return;
  for (let number = 1; number < count; number += 1) yield first + ((most - first) * number) / count;
}

/** Later fields are later: what ends comes after what begins. */
function* moments({ type, min, max }: FieldModel, index: number, count: number): Generator<string> {
  const later = index * (type === "date" ? dayMs : hourMs);
  const limits = [min, max].map((limit) => Date.parse(String(limit)));
  const [least, most] = limits as [number, number];
  const starts = [
    [firstDay + later, 100 * dayMs],
    [least + later, dayMs],
    [most - later, -dayMs],
    [least, hourMs],
    [least, dayMs],
    [Date.parse("2001-05-04T10:00:00Z") + later, dayMs],
  ] as const;
  for (const [start, step] of starts.filter(([at]) => !Number.isNaN(at)))
    for (let number = 0; number < count; number += 1) {
      const moment = new Date(start + number * step);
      if (Number.isNaN(moment.valueOf())) break;
      yield type === "date" ? moment.toISOString().slice(0, 10) : moment.toISOString();
    }
}

function* times(index: number): Generator<string> {
  const day = 24 * 60;
  const first = (8 + (index % 12)) * 60;
  for (const step of [5, 1])
    for (let minute = 0; minute < day; minute += step) {
      const at = (first + minute) % day;
      yield [Math.floor(at / 60), at % 60].map((part) => String(part).padStart(2, "0")).join(":");
    }
}

function* lists({ of, min_length: minLength = 1 }: FieldModel, count: number): Generator<readonly unknown[]> {
  for (const entry of of === undefined ? Array(count).keys() : candidates(of, 0, count))
    yield Array.from({ length: Math.max(1, minLength) }, () => entry);
}

function* texts({ type, pattern, min_length: minLength = 1, max_length: maxLength }: FieldModel, count: number) {
  for (let number = 0; number < count; number += 1)
    if (type === "email") yield `someone${number}@example.org`;
    else if (type === "url") yield `https://example.org/${number}`;
    else if (pattern === undefined) yield `${number}${"x".repeat(Math.max(1, minLength))}`.slice(0, maxLength);
  if (pattern === undefined && type !== "email" && type !== "url")
    yield* textsFor(`[a-zA-Z]{${Math.max(1, minLength)}}`);
  if (type === "email") yield* textsFor("[a-z]@[a-z]\\.org");
  if (pattern === undefined) return;
  yield* textsFor(pattern, minLength);
  // A pattern that is to be found anywhere may want more around it.
  for (const text of textsFor(pattern, minLength)) yield `a${text}`;
  for (const text of textsFor(pattern, minLength))
    for (let number = 0; number < count; number += 1) yield `a${number}${text}`;
}
