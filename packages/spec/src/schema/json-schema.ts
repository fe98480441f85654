import { acceptance, stack } from "./acceptance.ts";
import { scripts, secrets } from "./delivery.ts";
import { deployment } from "./deployment.ts";
import { documentShape } from "./document.ts";
import { guardrails } from "./guardrails.ts";
import { debug, network, performance, resources, timeouts } from "./running.ts";
import type { JsonSchema } from "./shape.ts";
import { services } from "./work.ts";

/** Parts that the document repeats; the JSON Schema defines them once. */
const shared: Readonly<Record<string, JsonSchema>> = {
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

/** The document's JSON Schema (2020-12), for editors and other tools. */
export function specJsonSchema(): Record<string, unknown> {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    // No title: editors would show it above every field without its own.
    ...toJson(documentShape, false),
    $defs: Object.fromEntries(Object.entries(shared).map(([name, shape]) => [name, toJson(shape, false)])),
  };
}

/** Leaves out our own keywords, which are for the checker. */
function toJson(schema: JsonSchema, mayRefer = true): Record<string, unknown> {
  const texts = explain(schema);
  const name = mayRefer ? nameOf(schema) : undefined;
  if (name !== undefined) return { $ref: `#/$defs/${name}`, ...texts, ...defaultOf(schema) };
  return Object.fromEntries(
    Object.entries({ ...schema, ...texts, ...explainWords(schema), ...requireEither(schema) })
      .filter(([keyword]) => !keyword.startsWith("x-slipway-"))
      .map(([keyword, value]) => [keyword, convert(keyword, value)]),
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

function convert(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case "items":
    case "additionalProperties":
    case "propertyNames":
      return toJson(value as JsonSchema);
    case "anyOf":
      return (value as JsonSchema[]).map((choice) => toJson(choice));
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, JsonSchema>).map(([key, property]) => [key, toJson(property)]),
      );
    default:
      return value;
  }
}

/** A shared part is recognised by its properties, which `withDefault` does not change. */
function nameOf(schema: JsonSchema): string | undefined {
  const same = (part: JsonSchema) =>
    part === schema ||
    (part.properties !== undefined && part.properties === schema.properties && !schema["x-slipway-inherits"]);
  return Object.entries(shared).find(([, part]) => same(part))?.[0];
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
