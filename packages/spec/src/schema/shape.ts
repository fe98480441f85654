/**
 * Builders for the document's schema. A shape is plain JSON Schema, so editors can use it directly, and it carries two
 * types: that of a checked document, and that of one with its defaults filled in.
 */

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array";

/** How `{{…}}` in a string is used: in text for people, or in a credential that may contain a secret. */
export type TemplateUse = "text" | "credential";

/** The part of JSON Schema 2020-12 that the checker supports. */
export interface JsonSchema {
  readonly description?: string;
  readonly type?: JsonType;
  readonly properties?: { readonly [key: string]: JsonSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly propertyNames?: JsonSchema;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly enum?: readonly (string | boolean)[];
  readonly enumDescriptions?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** Describes the form that `pattern` requires; editors show it too. */
  readonly patternErrorMessage?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  /** This key is another spelling of the named key. */
  readonly "x-slipway-same-as"?: string;
  /** This key is the named key where that one is absent, and a key of its own beside it. */
  readonly "x-slipway-else-for"?: string;
  readonly "x-slipway-template"?: TemplateUse;
  /** Absent keys below are inherited, so they have no defaults. */
  readonly "x-slipway-inherits"?: true;
  /** Keys that a map does not list mean something too: they are checks to answer for, or the author's own data. */
  readonly "x-slipway-others"?: "checks" | "yours";
  /** Further values that documents use, and what each of them means. */
  readonly "x-slipway-means"?: readonly (readonly [written: boolean | string, meant: string])[];
}

declare const checked: unique symbol;
declare const complete: unique symbol;

/** A schema with the type of what it describes: as checked, and as completed with defaults. */
export interface Shape<Checked = unknown, Complete = Checked> extends JsonSchema {
  readonly [checked]: Checked;
  readonly [complete]: Complete;
}

interface WithDefault {
  readonly default: unknown;
}
interface SameAs {
  readonly "x-slipway-same-as": string;
}

export type Checked<S> = S extends { readonly [checked]: infer T } ? T : never;
export type Complete<S> = S extends { readonly [complete]: infer T } ? T : never;

type Properties = Readonly<Record<string, Shape<unknown, unknown>>>;
type Plain<T> = { [K in keyof T]: T[K] };
type Own<P> = { [K in keyof P]: P[K] extends SameAs ? never : K }[keyof P];
type Filled<P> = { [K in keyof P]: P[K] extends WithDefault ? K : never }[keyof P];
type CheckedObject<P, R extends keyof P> = Plain<
  { [K in R]: Checked<P[K]> } & { [K in Exclude<Own<P>, R>]?: Checked<P[K]> }
>;
type CompleteObject<P, R extends keyof P> = Plain<
  { [K in R | Filled<P>]: Complete<P[K]> } & { [K in Exclude<Own<P>, R | Filled<P>>]?: Complete<P[K]> }
>;

type Extra = Omit<JsonSchema, "type" | "description">;

function shape<T, C = T>(schema: JsonSchema): Shape<T, C> {
  return schema as Shape<T, C>;
}

export function string(description: string, extra: Extra = {}): Shape<string> {
  return shape({ type: "string", description, ...extra });
}

export function number(description: string, extra: Extra = {}): Shape<number> {
  return shape({ type: "number", description, ...extra });
}

export function integer(description: string, extra: Extra = {}): Shape<number> {
  return shape({ type: "integer", description, ...extra });
}

export function boolean(description: string, extra: Extra = {}): Shape<boolean> {
  return shape({ type: "boolean", description, ...extra });
}

/** Any value. */
export function anything(description: string, extra: Extra = {}): Shape<unknown> {
  return shape({ description, ...extra });
}

/** One of a closed list of words, each with its meaning. */
export function oneOf<const W extends Readonly<Record<string, string>>>(
  description: string,
  words: W,
  extra: Extra = {},
): Shape<keyof W & string> {
  return shape({
    type: "string",
    description,
    enum: Object.keys(words),
    enumDescriptions: Object.values(words),
    ...extra,
  });
}

export function list<T, C>(
  description: string,
  items: Shape<T, C>,
  extra: Extra = {},
): Shape<readonly T[], readonly C[]> {
  return shape({ type: "array", description, items, ...extra });
}

/** A map from any names to values of one shape. */
export function map<T, C>(
  description: string,
  values: Shape<T, C>,
  extra: Extra = {},
): Shape<Readonly<Record<string, T>>, Readonly<Record<string, C>>> {
  return shape({ type: "object", description, additionalProperties: values, ...extra });
}

/** A map with known keys; unknown ones are kept. */
export function object<const P extends Properties, const R extends keyof P & string = never>(
  description: string,
  properties: P,
  required: readonly R[] = [],
): Shape<CheckedObject<P, R>, CompleteObject<P, R>> {
  return shape({ type: "object", description, properties, ...(required.length > 0 && { required }) });
}

/** A map with known keys, in which others mean something too. */
export function withOthers<T, C>(schema: Shape<T, C>, others: "checks" | "yours"): Shape<T, C> {
  return shape({ ...schema, "x-slipway-others": others });
}

/** A free-form map that may be empty. */
export function openObject(description: string, extra: Extra = {}): Shape<Readonly<Record<string, unknown>>> {
  return shape({ type: "object", description, ...extra });
}

/** One of several shapes, chosen by the kind of value. */
export function either<const S extends readonly Shape<unknown, unknown>[]>(
  description: string,
  shapes: S,
  extra: Extra = {},
): Shape<Checked<S[number]>, Complete<S[number]>> {
  return shape({ description, anyOf: shapes, ...extra });
}

/** The value of an absent key. */
export function withDefault<S extends Shape<unknown, unknown>, const D>(schema: S, value: D): S & WithDefault {
  return { ...schema, default: value };
}

/** Another spelling of a key; a checked document has only the canonical key. */
export function sameAs<S extends Shape<unknown, unknown>>(key: string, schema: S): S & SameAs {
  return { ...schema, description: `The same as \`${key}\`.`, "x-slipway-same-as": key };
}

/** A key that stands for another one where that is absent. */
export function elseFor<T>(key: string, description: string, schema: Shape<T>): Shape<T> {
  return shape({ ...schema, description, "x-slipway-else-for": key });
}

/** The same words, and further values that documents use for them. */
export function alsoWritten<T extends string>(
  schema: Shape<T>,
  means: readonly (readonly [written: boolean | string, meant: T])[],
): Shape<T> {
  const { type: _, enum: words = [], enumDescriptions = [], ...rest } = schema;
  return shape({
    ...rest,
    enum: [...words, ...means.map(([written]) => written)],
    enumDescriptions: [...enumDescriptions, ...means.map(([, meant]) => `The same as \`${meant}\`.`)],
    "x-slipway-means": means,
  });
}

/** A shape whose absent keys are inherited: defaults are not filled in below it. */
export function inherits<T>(schema: Shape<T, unknown>): Shape<T> {
  return shape({ ...schema, "x-slipway-inherits": true });
}
