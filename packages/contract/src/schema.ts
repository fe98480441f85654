/**
 * Builders for the schemas of what travels over HTTP. A schema is plain JSON Schema, so that the server validates with it and
 * the API's description prints it, and it carries the TypeScript type of what it describes.
 */

declare const described: unique symbol;
const optional = Symbol("optional");

/** A JSON Schema with the type of what it describes. */
export interface Schema<T = unknown> {
  readonly [described]: T;
  readonly description?: string;
}

/** The schema of an object, whose properties another schema may take over. */
export interface ObjectSchema<P extends Properties = Properties> extends Schema<ObjectOf<P>> {
  readonly properties: P;
  readonly required?: readonly string[];
}

/** The schema of a property that may be absent. */
export interface OptionalSchema<T = unknown> extends Schema<T> {
  readonly [optional]: true;
}

export type Properties = Readonly<Record<string, Schema>>;

/** The type of what a schema describes. */
export type Static<S> = S extends Schema<infer T> ? T : never;

type OptionalKeys<P> = { [K in keyof P]: P[K] extends OptionalSchema ? K : never }[keyof P];
type Flat<T> = { [K in keyof T]: T[K] };
type ObjectOf<P> = Flat<
  { [K in Exclude<keyof P, OptionalKeys<P>>]: Static<P[K]> } & { [K in OptionalKeys<P>]?: Static<P[K]> }
>;

/** Keywords of JSON Schema that say nothing about the TypeScript type. */
interface Keywords {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly additionalProperties?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** The builders, each named for the JSON type that it describes. */
export const Type = {
  String: (keywords?: Keywords) => schema<string>({ type: "string" }, keywords),
  Integer: (keywords?: Keywords) => schema<number>({ type: "integer" }, keywords),
  Number: (keywords?: Keywords) => schema<number>({ type: "number" }, keywords),
  Boolean: (keywords?: Keywords) => schema<boolean>({ type: "boolean" }, keywords),
  Null: () => schema<null>({ type: "null" }),
  Unknown: (keywords?: Keywords) => schema<unknown>({}, keywords),
  Literal: <const V extends string | number | boolean>(value: V, keywords?: Keywords) =>
    schema<V>({ type: typeof value, const: value }, keywords),
  Enum: <const V extends string>(values: readonly V[], keywords?: Keywords) => schema<V>({ enum: values }, keywords),
  Array: <S extends Schema>(items: S, keywords?: Keywords) => schema<Static<S>[]>({ type: "array", items }, keywords),
  /** A map from any names to values of one schema. */
  Record: <S extends Schema>(values: S, keywords?: Keywords) =>
    schema<Record<string, Static<S>>>({ type: "object", additionalProperties: values }, keywords),
  Union: <const S extends readonly Schema[]>(anyOf: S, keywords?: Keywords) =>
    schema<Static<S[number]>>({ anyOf }, keywords),
  Optional: <T>(of: Schema<T>) => ({ ...of, [optional]: true }) as OptionalSchema<T>,
  Object: <P extends Properties>(members: P, keywords?: Keywords) => {
    const required = Object.keys(members).filter((key) => !(optional in members[key]!));
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      properties: members,
      ...keywords,
    } as unknown as ObjectSchema<P>;
  },
};

function schema<T>(of: object, keywords?: Keywords): Schema<T> {
  return { ...of, ...keywords } as Schema<T>;
}
