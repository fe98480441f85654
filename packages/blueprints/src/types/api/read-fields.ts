import type { TypeKeys } from "@slipway/spec";
import { crossedLimit } from "../../kit/limits.ts";
import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import { misfit } from "./misfit.ts";
import type { FieldModel, FieldType } from "./model.ts";

export type WrittenResource = NonNullable<TypeKeys<"api">["data_model"]>[string];
type WrittenFields = NonNullable<WrittenResource["fields"]>;
type WrittenField = WrittenFields[string];

/** The service sets these itself. */
export const serviceFields = ["id", "created_at", "updated_at"];

/** Reads the fields of a resource. What cannot be honoured of them is reported. */
export function readFields(written: WrittenFields, pointer: string, unmet: Unmet[]): Record<string, FieldModel> {
  const fields = Object.entries(written).flatMap(([name, field]): (readonly [string, FieldModel])[] => {
    const place = `${pointer}/${pointerPart(name)}`;
    if (serviceFields.includes(name)) return [];
    if (name === "__proto__" || name === "") {
      unmet.push({ pointer: place, reason: "A field cannot have this name." });
      return [];
    }
    return [[name, readField(field, place, unmet)]];
  });
  return Object.fromEntries(fields);
}

function readField(written: WrittenField, pointer: string, unmet: Unmet[]): FieldModel {
  if (typeof written === "string") return { type: knownType(written, {}, pointer, unmet) };
  const { type: word, values, to, of, required, unique, label, description, was, default: fallback } = written;
  const wanted = word ?? (values !== undefined ? "enum" : to !== undefined ? "reference" : "string");
  const type = knownType(wanted, { values, to }, pointer, unmet);
  const { on_delete: onDelete } = written;
  if (unique === true && type === "password")
    unmet.push({ pointer: `${pointer}/unique`, reason: "Two may have the same password: only its hash is kept." });
  return withDefault(plain(fallback), pointer, unmet, {
    type,
    ...(label !== undefined && { label }),
    ...(description !== undefined && { description }),
    ...(required === true && { required }),
    ...(unique === true && type !== "password" && { unique }),
    ...(type === "enum" && values !== undefined && { values: values.map(plain) }),
    ...(type === "list" && of !== undefined && { of: readEntry(of, `${pointer}/of`, unmet) }),
    ...limitsOf(written, type, pointer, unmet),
    ...(type === "reference" && { to: to!, on_delete: onDelete ?? "restrict" }),
    ...(was !== undefined && { was }),
  });
}

/** A default that callers could not send is reported, and not used. */
function withDefault(fallback: unknown, pointer: string, unmet: Unmet[], field: FieldModel): FieldModel {
  if (fallback === undefined) return field;
  const isClock =
    (fallback === "today" && ["date", "datetime"].includes(field.type)) ||
    (fallback === "now" && field.type === "datetime");
  const problem = isClock ? undefined : misfit(field, fallback);
  if (problem === undefined) return { ...field, default: fallback };
  unmet.push({ pointer: `${pointer}/default`, reason: `It is left out: it ${problem}.` });
  return field;
}

type Limits = Pick<FieldModel, "min" | "max" | "min_length" | "max_length" | "pattern">;

function readEntry(
  written: NonNullable<Exclude<WrittenField, string>["of"]>,
  pointer: string,
  unmet: Unmet[],
): FieldModel {
  if (typeof written === "string") return { type: knownType(written, {}, pointer, unmet) };
  const { type: word, values } = written;
  const type = knownType(word ?? (values === undefined ? "string" : "enum"), { values }, pointer, unmet);
  return {
    type,
    ...(type === "enum" && values !== undefined && { values: values.map(plain) }),
    ...limitsOf(written, type, pointer, unmet),
  };
}

/** An enum needs its values, and a reference its resource. */
function knownType(
  type: FieldType,
  { values, to }: { readonly values?: readonly unknown[] | undefined; readonly to?: string | undefined },
  pointer: string,
  unmet: Unmet[],
): FieldType {
  if (type === "enum" && (values === undefined || values.length === 0)) {
    unmet.push({ pointer, reason: "An enum without 'values' takes any text: list them." });
    return "string";
  }
  if (type === "reference" && to === undefined) {
    unmet.push({ pointer, reason: "A reference without 'to' takes any value: say which resource it leads to." });
    return "any";
  }
  return type;
}

const numeric = ["integer", "number"];
const dated = ["date", "datetime", "time"];
const worded = ["string", "text", "password", "email", "url"];

/** The limits that mean something for the type; the others are reported as unread. */
function limitsOf(
  written: { readonly [Key in keyof Limits]?: Limits[Key] | undefined },
  type: FieldType,
  pointer: string,
  unmet: Unmet[],
): Limits {
  const isText = worded.includes(type);
  const bound = (key: "min" | "max"): Limits => {
    if (!numeric.includes(type) && !dated.includes(type)) return {};
    const value = written[key];
    if (value === undefined) return {};
    if (typeof value === (numeric.includes(type) ? "number" : "string")) return { [key]: value };
    unmet.push({
      pointer: `${pointer}/${key}`,
      reason: numeric.includes(type)
        ? "It must be a number here."
        : "It must be a day or a moment here, or 'today' or 'now'.",
    });
    return {};
  };
  const bounds = { ...bound("min"), ...bound("max") };
  const { min_length: minLength, max_length: maxLength } = isText || type === "list" ? written : {};
  const pattern = isText ? written.pattern : undefined;
  const isPattern = pattern !== undefined && isExpression(pattern);
  if (pattern !== undefined && !isPattern)
    unmet.push({ pointer: `${pointer}/pattern`, reason: "This is no regular expression." });
  const crossed = crossedLimit({ ...bounds, min_length: minLength, max_length: maxLength });
  if (crossed !== undefined) unmet.push({ pointer: `${pointer}/${crossed.key}`, reason: crossed.reason });
  return {
    ...(crossed === undefined && {
      ...bounds,
      ...(minLength !== undefined && { min_length: minLength }),
      ...(maxLength !== undefined && { max_length: maxLength }),
    }),
    ...(isPattern && { pattern }),
  };
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, "u") instanceof RegExp;
  } catch {
    return false;
  }
}

/** A copy of a value of the document: reading it tells that it is used. */
export function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, plain(member)]));
}
