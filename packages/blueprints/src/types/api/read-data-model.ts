import type { CompleteSpec } from "@slipway/spec";
import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import { type FieldModel, type FieldType, fieldTypes } from "./model.ts";
import { lastWord, shapeOf, singular } from "./path-shape.ts";

/** A resource that the document declares under `data_model`. */
export interface DeclaredResource {
  readonly name: string;
  readonly path: string;
  readonly belongsTo?: string;
  readonly fields: Readonly<Record<string, FieldModel>>;
  readonly filters?: readonly string[];
  readonly search?: readonly string[];
  readonly sort?: readonly string[];
  /** JSON Pointer to it in the document. */
  readonly pointer: string;
}

export interface ReadDataModel {
  readonly resources: readonly DeclaredResource[];
  readonly unmet: readonly Unmet[];
}

/** Reads `data_model`: resources by name, each with a path and fields. What cannot be read is left out and reported. */
export function readDataModel(document: CompleteSpec): ReadDataModel {
  const unmet: Unmet[] = [];
  const ofServices = Object.entries(document.services ?? {}).map(([name, service]) => ({
    pointer: `/services/${pointerPart(name)}/data_model`,
    written: (service as Readonly<Record<string, unknown>>)["data_model"],
  }));
  const all = [{ pointer: "/data_model", written: authorKey(document, "data_model") }, ...ofServices];
  return { resources: all.flatMap(({ pointer, written }) => readDeclared(written, pointer, unmet)), unmet };
}

function readDeclared(written: unknown, pointer: string, unmet: Unmet[]): readonly DeclaredResource[] {
  if (written === undefined) return [];
  if (!isMap(written)) {
    unmet.push({ pointer, reason: "It is no map of resources." });
    return [];
  }
  return Object.entries(written).flatMap(([name, entry]) => {
    const place = `${pointer}/${pointerPart(name)}`;
    if (isMap(entry)) return [readResource(name, entry, place, unmet)];
    unmet.push({ pointer: place, reason: "It is no map with a path and fields." });
    return [];
  });
}

/** The value of a key that the format does not define, but this document has. */
export function authorKey(document: CompleteSpec, key: string): unknown {
  return (document as unknown as Readonly<Record<string, unknown>>)[key];
}

function readResource(
  name: string,
  entry: Readonly<Record<string, unknown>>,
  pointer: string,
  unmet: Unmet[],
): DeclaredResource {
  const written = entry["fields"] ?? {};
  if (!isMap(written)) unmet.push({ pointer: `${pointer}/fields`, reason: "It is no map of fields." });
  const fields = Object.entries(isMap(written) ? written : {}).flatMap(([field, description]) => {
    const place = `${pointer}/fields/${pointerPart(field)}`;
    if (reservedFields.has(field)) {
      if (field === "__proto__") unmet.push({ pointer: place, reason: "A field cannot have this name." });
      return [];
    }
    return [[field, readField(description, place, unmet)] as const];
  });
  const path =
    typeof entry["path"] === "string" && entry["path"].startsWith("/") ? entry["path"] : `/${pluralSlug(name)}`;
  const listed = (key: string) => {
    const names = entry[key];
    return Array.isArray(names) ? { [key]: names.filter((word) => typeof word === "string") } : {};
  };
  const belongsTo = entry["belongs_to"];
  return {
    name,
    path,
    ...(typeof belongsTo === "string" && { belongsTo }),
    fields: Object.fromEntries(fields),
    ...listed("filters"),
    ...listed("search"),
    ...listed("sort"),
    pointer,
  };
}

/** The service sets these itself. */
const reservedFields = new Set(["id", "created_at", "updated_at", "__proto__"]);

const otherNames: Readonly<Record<string, FieldType>> = {
  str: "string",
  int: "integer",
  float: "number",
  decimal: "number",
  double: "number",
  bool: "boolean",
  array: "list",
  map: "object",
  json: "any",
  uri: "url",
  timestamp: "datetime",
  "date-time": "datetime",
  markdown: "text",
  uuid: "string",
  id: "any",
  reference: "any",
};

function readField(description: unknown, pointer: string, unmet: Unmet[]): FieldModel {
  const entry = isMap(description) ? description : { type: description ?? "string" };
  const word = String(entry["type"] ?? (Array.isArray(entry["values"]) ? "enum" : "string")).toLowerCase();
  const named = fieldTypes.find((type) => type === word) ?? otherNames[word];
  if (named === undefined) unmet.push({ pointer, reason: `The type '${word}' is not known: any value is taken.` });
  const values = entry["values"] ?? entry["enum"] ?? entry["options"];
  const type = named === "enum" && !Array.isArray(values) ? "string" : (named ?? "any");
  if (type !== named && named === "enum") unmet.push({ pointer, reason: "An enum without values takes any text." });
  const numbers = ["min", "max", "min_length", "max_length"].filter((key) => typeof entry[key] === "number");
  const pattern = entry["pattern"];
  const isPattern = typeof pattern === "string" && isExpression(pattern);
  if (pattern !== undefined && !isPattern) unmet.push({ pointer, reason: "Its pattern is no regular expression." });
  return {
    type,
    ...(typeof entry["label"] === "string" && { label: entry["label"] }),
    ...(entry["required"] === true && { required: true }),
    ...(entry["unique"] === true && { unique: true }),
    ...(entry["default"] !== undefined && { default: entry["default"] }),
    ...(type === "enum" && { values: values as readonly unknown[] }),
    ...(type === "list" && entry["of"] !== undefined && { of: readField(entry["of"], `${pointer}/of`, unmet) }),
    ...Object.fromEntries(numbers.map((key) => [key, entry[key]])),
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

function pluralSlug(name: string): string {
  const word =
    name
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "records";
  return singular(word) !== word
    ? word
    : /[^aeiou]y$/.test(word)
      ? `${word.slice(0, -1)}ies`
      : /(s|x|z|ch|sh)$/.test(word)
        ? `${word}es`
        : `${word}s`;
}

export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The name of one record, from the path of its collection. */
export function nameFromPath(path: string): string {
  return singular(lastWord(shapeOf(path)) ?? "record");
}
