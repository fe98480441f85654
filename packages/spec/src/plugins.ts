import { documentShape, type SpecDocument } from "./schema/document.ts";
import type { JsonSchema } from "./schema/shape.ts";

/** What documents need to know of an outcome type that a plugin defines. */
export interface PluginType {
  readonly name: string;
  /** Schema of the document keys that this type adds. */
  readonly schema?: JsonSchema;
  /** Defaults for `acceptance` and `stack`. */
  readonly acceptance_defaults?: Readonly<Record<string, unknown>>;
  readonly stack_defaults?: Readonly<Record<string, unknown>>;
}

/** A plugin, and whether documents may use it. */
export interface KnownPlugin {
  readonly name: string;
  readonly outcomeTypes: readonly PluginType[];
  /** Why it cannot be used; undefined if it can. */
  readonly refusal?: string;
}

/** The known plugins that a document names, in the document's order. */
export function namedPlugins(plugins: readonly KnownPlugin[], names: unknown): KnownPlugin[] {
  const named: readonly unknown[] = Array.isArray(names) ? names : [];
  return named.flatMap((name) => plugins.find((plugin) => plugin.name === name) ?? []);
}

/** The document's outcome type, if one of its plugins defines it. */
export function findPluginType(
  plugins: readonly KnownPlugin[],
  { outcome_type, plugins: names }: { readonly outcome_type?: unknown; readonly plugins?: unknown },
): { readonly plugin: KnownPlugin; readonly type: PluginType } | undefined {
  for (const plugin of namedPlugins(plugins, names)) {
    const type = plugin.outcomeTypes.find(({ name }) => name === outcome_type);
    if (type !== undefined) return { plugin, type };
  }
  return undefined;
}

/**
 * The shape of a document whose type adds keys; environments may override them, and services have resources of their
 * own. What a type has in `services` and `environments` is added to each service and environment.
 */
export function shapeWith(schema: JsonSchema | undefined): JsonSchema {
  if (schema === undefined) return documentShape;
  const known = extended.get(schema);
  if (known !== undefined) return known;
  const { environments, services, ...others } = documentShape.properties ?? {};
  const { environments: ofEnvironments, services: ofServices, ...own } = schema.properties ?? {};
  const { data_model } = own;
  const shape: JsonSchema = {
    ...documentShape,
    properties: {
      ...own,
      ...others,
      services: withKeys(services!, { ...(data_model && { data_model }), ...keysOfEach(ofServices) }),
      environments: withKeys(environments!, { ...own, ...keysOfEach(ofEnvironments) }),
    },
    required: [...(documentShape.required ?? []), ...(schema.required ?? [])],
  };
  extended.set(schema, shape);
  return shape;
}

type Keys = Readonly<Record<string, JsonSchema>>;

function keysOfEach(map: JsonSchema | undefined): Keys {
  return map?.additionalProperties?.properties ?? {};
}

/** A map whose values have further keys. */
function withKeys(map: JsonSchema, keys: Keys): JsonSchema {
  if (Object.keys(keys).length === 0) return map;
  const { additionalProperties: each } = map;
  return { ...map, additionalProperties: { ...each, properties: { ...keys, ...each?.properties } } };
}

/** Whether every document may have the key, whatever its type. */
export function isDocumentKey(key: string): boolean {
  return Object.hasOwn(documentShape.properties ?? {}, key);
}

/** The same of the keys of a service or an environment. */
export function isKeyOfEach(part: "services" | "environments", key: string): boolean {
  return Object.hasOwn(keysOfEach(documentShape.properties?.[part]), key);
}

const extended = new WeakMap<JsonSchema, JsonSchema>();

/** The document with its type's defaults for `acceptance` and `stack`. */
export function withTypeDefaults(document: SpecDocument, type: PluginType | undefined): SpecDocument {
  if (type === undefined) return document;
  const { acceptance_defaults = {}, stack_defaults = {} } = type;
  return {
    ...document,
    acceptance: { ...acceptance_defaults, ...document.acceptance },
    stack: { ...stack_defaults, ...document.stack },
  } as SpecDocument;
}

/** The keywords that a plugin's schema may use, each with a check of its value. */
const keywords: Readonly<Record<string, (value: unknown, at: string) => string[]>> = {
  $schema: () => [],
  title: () => [],
  description: () => [],
  default: () => [],
  examples: () => [],
  enumDescriptions: () => [],
  type: oneOfWords(["string", "number", "integer", "boolean", "object", "array"]),
  enum: (value, at) => {
    const isWord = (word: unknown) => typeof word === "string" || typeof word === "boolean";
    return Array.isArray(value) && value.length > 0 && value.every(isWord)
      ? []
      : [`${at} must be a list of strings or booleans.`];
  },
  minimum: numeric,
  maximum: numeric,
  exclusiveMinimum: numeric,
  minLength: numeric,
  required: (value, at) =>
    Array.isArray(value) && value.every((key) => typeof key === "string") ? [] : [`${at} must be a list of keys.`],
  properties: (value, at) =>
    isMap(value)
      ? Object.entries(value).flatMap(([key, schema]) => checkSchema(schema, `${at}/${key}`))
      : [`${at} must be a map of schemas.`],
  additionalProperties: checkSchema,
  propertyNames: checkSchema,
  items: checkSchema,
  anyOf: (value, at) =>
    Array.isArray(value) && value.length > 0
      ? value.flatMap((schema, index) => checkSchema(schema, `${at}/${index}`))
      : [`${at} must be a list of schemas.`],
};

/**
 * Checks the schema of a plugin's type. It may not use `pattern`: patterns run in the service's own process, and some
 * take forever.
 */
export function checkTypeSchema(schema: unknown): string[] {
  const problems = checkSchema(schema, "schema");
  if (problems.length > 0 || !isMap(schema)) return problems;
  if (schema["type"] !== "object" || !isMap(schema["properties"]))
    return ["schema must be of type 'object' and list the keys in 'properties'."];
  const { properties, required } = schema;
  const unsupported = ["anyOf", "enum", "additionalProperties", "propertyNames"].find((key) => key in schema);
  if (unsupported !== undefined) return [`schema/${unsupported} is not supported here: a document keeps unknown keys.`];
  const taken = Object.keys(properties).find(isDocumentKey);
  if (taken !== undefined) return [`schema/properties/${taken}: '${taken}' is a key of every document.`];
  const missing = ((required ?? []) as string[]).find((key) => !Object.hasOwn(properties, key));
  return missing === undefined ? [] : [`schema/required names '${missing}', which 'properties' does not have.`];
}

/** What is wrong with the name of a type; undefined if nothing is. */
export function checkTypeName(name: unknown): string | undefined {
  if (typeof name === "string" && /^[a-z][a-z0-9-]{0,63}$/.test(name)) return undefined;
  return "must be a name of at most 64 lowercase letters, digits and '-'";
}

const maxDepth = 16;

function checkSchema(schema: unknown, at: string): string[] {
  if (!isMap(schema)) return [`${at} must be a schema: a map.`];
  if (at.split("/").length > 2 * maxDepth) return [`${at} is nested too deeply.`];
  return Object.entries(schema).flatMap(([key, value]) => {
    const check = Object.hasOwn(keywords, key) ? keywords[key] : undefined;
    if (check !== undefined) return check(value, `${at}/${key}`);
    return [`${at} uses '${key}', which is not supported. Supported keywords: ${Object.keys(keywords).join(", ")}.`];
  });
}

function numeric(value: unknown, at: string): string[] {
  return typeof value === "number" && Number.isFinite(value) ? [] : [`${at} must be a number.`];
}

function oneOfWords(words: readonly string[]) {
  return (value: unknown, at: string) =>
    words.includes(value as string) ? [] : [`${at} must be one of ${words.join(", ")}.`];
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
