import { vocabularyOf } from "./outcome-types/index.ts";
import { type PluginType, shapeWith, withTypeDefaults } from "./plugins.ts";
import { environmentSwitches } from "./schema/delivery.ts";
import type { CompleteSpec, SpecDocument } from "./schema/document.ts";
import type { Complete, JsonSchema } from "./schema/shape.ts";

/** A default that was filled in. */
export interface AppliedDefault {
  /** JSON Pointer into the resolved document. */
  readonly pointer: string;
  readonly value: unknown;
}

export interface TargetEnvironment extends Complete<typeof environmentSwitches> {
  readonly name: string;
}

/** A document for one environment, with every default filled in. */
export interface ResolvedSpec {
  readonly document: CompleteSpec;
  /** Undefined for the top level. */
  readonly environment?: TargetEnvironment;
  readonly defaults: readonly AppliedDefault[];
}

/**
 * Merges an environment into a document and fills in every default, including those of a plugin's type. Without a name
 * it is the document's default environment; null is the top level.
 */
export function resolveSpec(
  document: SpecDocument,
  environment: string | null | undefined = defaultEnvironment(document),
  type?: PluginType,
): ResolvedSpec {
  const merged = environment == null ? document : mergeEnvironment(document, environment);
  const defaults: AppliedDefault[] = [];
  const schema = type === undefined ? vocabularyOf(document.outcome_type) : type.schema;
  const complete = fill(shapeWith(schema), withTypeDefaults(merged, type), "", defaults) as CompleteSpec;
  if (environment == null) return { document: complete, defaults };
  const switches = fill(environmentSwitches, document.environments![environment], "", []);
  return { document: complete, defaults, environment: { ...pickSwitches(switches), name: environment } };
}

/** The environment of a run that names none: the first with `auto_deploy`, else the top level. */
export function defaultEnvironment(document: SpecDocument): string | undefined {
  return Object.entries(document.environments ?? {}).find(([, { auto_deploy }]) => auto_deploy === true)?.[0];
}

/** Keys that identify the document: an environment cannot change them. */
export const identityKeys: readonly string[] = [
  "spec_version",
  "id",
  "name",
  "description",
  "outcome_type",
  "plugins",
  "environments",
];

const switchKeys = Object.keys(environmentSwitches.properties ?? {});

/** The document with an environment's overrides: maps are merged, everything else is replaced. */
export function mergeEnvironment(document: SpecDocument, name: string): SpecDocument {
  if (!Object.hasOwn(document.environments ?? {}, name)) throw new Error(`The document has no environment '${name}'.`);
  const block = Object.entries(document.environments![name]!);
  const overrides = block.filter(([key]) => !switchKeys.includes(key) && !identityKeys.includes(key));
  return merge(document, Object.fromEntries(overrides)) as SpecDocument;
}

function pickSwitches(block: unknown): Complete<typeof environmentSwitches> {
  const entries = Object.entries(block as object).filter(([key]) => switchKeys.includes(key));
  return Object.fromEntries(entries) as unknown as Complete<typeof environmentSwitches>;
}

/** Merges maps deeply and replaces everything else. */
function merge(base: unknown, over: unknown): unknown {
  if (!isMap(base) || !isMap(over)) return over;
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    merged[key] = Object.hasOwn(base, key) ? merge(base[key], value) : value;
  }
  return merged;
}

/** A copy of `value` with the schema's defaults filled in. */
function fill(schema: JsonSchema, value: unknown, pointer: string, applied: AppliedDefault[]): unknown {
  if (schema["x-slipway-inherits"] === true) return value;
  if (schema.anyOf !== undefined) {
    const taken = schema.anyOf.find((choice) => choice.type === kindOf(value));
    return taken === undefined ? value : fill(taken, value, pointer, applied);
  }
  if (Array.isArray(value)) {
    const { items } = schema;
    return items === undefined ? value : value.map((item, index) => fill(items, item, `${pointer}/${index}`, applied));
  }
  if (!isMap(value) || (schema.properties === undefined && schema.additionalProperties === undefined)) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    const known = schema.properties?.[key] ?? schema.additionalProperties;
    filled[key] = known === undefined ? entry : fill(known, entry, `${pointer}/${escapeKey(key)}`, applied);
  }
  for (const [key, property] of Object.entries(schema.properties ?? {})) {
    if (property.default === undefined || Object.hasOwn(value, key)) continue;
    const here = `${pointer}/${key}`;
    if (property.properties === undefined) applied.push({ pointer: here, value: property.default });
    filled[key] = fill(property, property.default, here, applied);
  }
  return filled;
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value;
}

/** Escapes a key for a JSON Pointer. */
export function escapeKey(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}
