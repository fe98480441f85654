import { vocabularies } from "../outcome-types/index.ts";
import { acceptance, stack } from "./acceptance.ts";
import { scripts, secrets } from "./delivery.ts";
import { deployment } from "./deployment.ts";
import { documentShape } from "./document.ts";
import { guardrails } from "./guardrails.ts";
import { repeatedParts } from "./repeated-parts.ts";
import { debug, network, performance, resources, timeouts } from "./running.ts";
import type { JsonSchema } from "./shape.ts";
import { services } from "./work.ts";

/** Parts that the document repeats; the JSON Schema defines them once. */
const documentParts: Parts = {
  acceptance,
  stack,
  guardrails,
  secrets,
  scripts,
  deployment,
  services,
  timeouts,
  resources,
  performance,
  network,
  debug,
};

type Parts = Readonly<Record<string, JsonSchema>>;

/** The document's JSON Schema (2020-12), for editors and other tools: with the keys that each outcome type adds. */
export function specJsonSchema(types: Parts = vocabularies): Record<string, unknown> {
  const parts = { ...documentParts, ...repeatedParts(types) };
  const define = (schemas: Parts) =>
    Object.entries(schemas).map(([name, schema]) => [name, toJson(schema, parts, false)] as const);
  const saying = Object.entries(types).filter(([, { properties = {} }]) => Object.keys(properties).length > 0);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    // A name, no address: nobody need be online to use it. With the types of plugins it is another schema.
    ...(types === vocabularies && { $id: "urn:slipway:schema:spec" }),
    // No title: editors would show it above every field without its own.
    ...toJson(documentShape, parts, false),
    ...(saying.length > 0 && { allOf: saying.map(([type, schema]) => keysOfType(type, schema)) }),
    $defs: Object.fromEntries([
      ...define(parts),
      ...define(Object.fromEntries(saying.map(([type, { properties = {} }]) => [partOfType(type), { properties }]))),
    ]),
  };
}

function partOfType(type: string): string {
  return `outcome-type-${type}`;
}

/** The keys of a type, where the document names it; environments may change them, and services have resources of their own. */
function keysOfType(type: string, { required, properties = {} }: JsonSchema): Record<string, unknown> {
  const keys = { $ref: `#/$defs/${partOfType(type)}` };
  return {
    // Required, because a condition on an absent key holds.
    if: { properties: { outcome_type: { const: type } }, required: ["outcome_type"] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: {
      ...keys,
      properties: {
        environments: { additionalProperties: keys },
        ...(properties["data_model"] !== undefined && {
          services: {
            additionalProperties: { properties: { data_model: { $ref: `${keys.$ref}/properties/data_model` } } },
          },
        }),
      },
      ...(required !== undefined && { required }),
    },
  };
}

/** Leaves out our own keywords, which are for the checker. */
function toJson(schema: JsonSchema, parts: Parts, mayRefer = true): Record<string, unknown> {
  const texts = explain(schema);
  const name = mayRefer ? nameOf(schema, parts) : undefined;
  if (name !== undefined) return { $ref: `#/$defs/${name}`, ...texts, ...defaultOf(schema) };
  return Object.fromEntries(
    Object.entries({ ...schema, ...texts, ...explainWords(schema), ...requireEither(schema) })
      .filter(([keyword]) => !keyword.startsWith("x-slipway-"))
      .map(([keyword, value]) => [keyword, convert(keyword, value, parts)]),
  );
}

/** A required key that another one can stand for: one of the two is required. */
function requireEither({ required = [], properties = {} }: JsonSchema): Pick<JsonSchema, "required" | "anyOf"> {
  const [pair] = Object.entries(properties).flatMap(([key, property]) => {
    const other = property["x-slipway-else-for"];
    return other !== undefined && required.includes(other) ? [{ key, other }] : [];
  });
  if (pair === undefined) return {};
  return {
    required: required.filter((key) => key !== pair.other),
    anyOf: [{ required: [pair.other] }, { required: [pair.key] }],
  };
}

function convert(keyword: string, value: unknown, parts: Parts): unknown {
  switch (keyword) {
    case "items":
    case "additionalProperties":
    case "propertyNames":
      return toJson(value as JsonSchema, parts);
    case "anyOf":
      return (value as JsonSchema[]).map((choice) => toJson(choice, parts));
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>).map(([key, property]) => [key, toJson(property, parts)]),
      );
    default:
      return value;
  }
}

/** A shared part is recognised by its properties, which `withDefault` does not change. */
function nameOf(schema: JsonSchema, parts: Parts): string | undefined {
  const same = (part: JsonSchema) =>
    part === schema ||
    (part.properties !== undefined &&
      part.properties === schema.properties &&
      part.required === schema.required &&
      !schema["x-slipway-inherits"]);
  return Object.entries(parts).find(([, part]) => same(part))?.[0];
}

/** Editors do not show defaults, so the description includes them. */
function explain({ description, default: value }: JsonSchema): Record<string, string> {
  if (description === undefined) return {};
  const hasDefault = value !== undefined && typeof value !== "object";
  const text = hasDefault ? `${description} Default: \`${value}\`.` : description;
  return { description: text, ...(isMarkdown(text) && { markdownDescription: text }) };
}

function explainWords({ enumDescriptions: texts }: JsonSchema): Record<string, readonly string[]> {
  return texts?.some(isMarkdown) ? { markdownEnumDescriptions: texts } : {};
}

/** Editors show a description as plain text by default: with backticks, and without `<words>`. */
function isMarkdown(text: string): boolean {
  return text.includes("`");
}

function defaultOf({ default: value }: JsonSchema): { default?: unknown } {
  return value === undefined ? {} : { default: value };
}
