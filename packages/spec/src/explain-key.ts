import { describeSchema } from "./check/describe-value.ts";
import { nearestKey } from "./check/nearest.ts";
import { groupBy } from "./group-by.ts";
import { vocabularies } from "./outcome-types/index.ts";
import { documentShape, outcomeTypes } from "./schema/document.ts";
import type { JsonSchema } from "./schema/shape.ts";

/** What the reference says of a key. */
export interface KeyExplanation {
  /** Where it stands: `data_model.<name>.fields.<name>.type`. */
  readonly path: string;
  /** The outcome types that have it; empty if every document may. */
  readonly outcomeTypes: readonly string[];
  readonly description: string;
  /** What its value must be, in words. */
  readonly value: string;
  readonly isRequired: boolean;
  readonly default?: unknown;
  readonly example?: unknown;
  /** The words that it may be, each with its meaning. */
  readonly words: readonly { readonly word: string; readonly meaning: string }[];
  /** The keys below it. */
  readonly keys: readonly { readonly key: string; readonly description: string }[];
}

interface FoundKeys {
  readonly found: readonly KeyExplanation[];
  /** For a key that is not known: what may be meant. */
  readonly suggestions: readonly string[];
}

type Vocabularies = Readonly<Record<string, JsonSchema>>;

/** Explains a key, by its path or its name alone, or an outcome type. Names that authors choose may be left out of a path. */
export function explainKey(query: string, types: Vocabularies = vocabularies): FoundKeys {
  const wanted = segmentsOf(query);
  const places = allPlaces(types);
  const atPath = places.filter(({ segments }) => fits(segments, wanted));
  const named =
    atPath.length > 0 || wanted.length > 1 ? atPath : places.filter(({ segments }) => segments.at(-1) === wanted[0]);
  const type = wanted.length === 1 ? explainType(wanted[0]!, types) : [];
  const found = [...type, ...mergeTypes(named)];
  return { found, suggestions: found.length > 0 ? [] : suggest(wanted, places) };
}

/** The keys that a document of an outcome type may have at its top, those of every document first. */
export function keysOfDocument(type: string, types: Vocabularies = vocabularies): KeyExplanation["keys"] {
  const own = Object.hasOwn(types, type) ? types[type] : undefined;
  return [...keysBelow(documentShape), ...(own === undefined ? [] : keysBelow(own))];
}

/** A known key at any depth. */
interface Place {
  readonly path: string;
  /** Its path without brackets; `*` is a name that the author chooses. */
  readonly segments: readonly string[];
  readonly schema: JsonSchema;
  readonly isRequired: boolean;
  /** The type that has it; undefined for a key of every document. */
  readonly type: string | undefined;
}

const chosen = "*";

/** An editor asks with each press of a key: walking all vocabularies takes a few milliseconds. */
const knownPlaces = new WeakMap<Vocabularies, readonly Place[]>();

function allPlaces(types: Vocabularies): readonly Place[] {
  const known = knownPlaces.get(types);
  if (known !== undefined) return known;
  const places = [
    ...placesIn(documentShape, "", [], undefined, []),
    ...Object.entries(types).flatMap(([type, schema]) => placesIn(schema, "", [], type, [])),
  ];
  knownPlaces.set(types, places);
  return places;
}

function placesIn(
  schema: JsonSchema,
  path: string,
  segments: readonly string[],
  type: string | undefined,
  above: readonly unknown[],
): Place[] {
  if (above.includes(schema)) return [];
  const inside = [...above, schema];
  const { properties = {}, required = [], items, additionalProperties, anyOf = [] } = schema;
  const own = Object.entries(properties).flatMap(([key, property]): Place[] => {
    const at = path === "" ? key : `${path}.${key}`;
    const here = [...segments, key];
    const place = { path: at, segments: here, schema: property, isRequired: required.includes(key), type };
    return [place, ...placesIn(property, at, here, type, inside)];
  });
  return [
    ...own,
    ...(items === undefined ? [] : placesIn(items, `${path}[]`, segments, type, inside)),
    ...(additionalProperties === undefined
      ? []
      : placesIn(additionalProperties, `${path}.<name>`, [...segments, chosen], type, inside)),
    ...anyOf.flatMap((choice) => placesIn(choice, path, segments, type, inside)),
  ];
}

/** `acceptance.http_endpoints[0].path`, `/acceptance/http_endpoints/0/path` and `a.<name>.b` as plain names. */
function segmentsOf(query: string): string[] {
  const words = query.startsWith("/") ? query.slice(1).split("/") : query.split(".");
  return words.map((word) => word.split("[", 1)[0]!).filter((word) => word !== "" && !/^(?:\d+|<.*>)$/.test(word));
}

/** Whether a path leads there; a chosen name is any word, or none. */
function fits(segments: readonly string[], wanted: readonly string[]): boolean {
  if (wanted.length > segments.length) return false;
  const [first, ...rest] = segments;
  if (first === undefined) return true;
  if (first !== chosen) return wanted[0] === first && fits(rest, wanted.slice(1));
  return fits(rest, wanted) || (wanted.length > 0 && fits(rest, wanted.slice(1)));
}

/** One explanation for the types that say the same of a path. */
function mergeTypes(places: readonly Place[]): readonly KeyExplanation[] {
  const alike = groupBy(places, ({ path, schema, isRequired }) => JSON.stringify([path, schema, isRequired]));
  return [...alike.values()].map((same) =>
    explain(
      same[0]!,
      same.flatMap(({ type }) => type ?? []),
    ),
  );
}

function explain({ path, schema, isRequired }: Place, types: readonly string[]): KeyExplanation {
  const { description = "", default: byDefault, examples = [], enum: words = [], enumDescriptions = [] } = schema;
  return {
    path,
    outcomeTypes: types,
    description,
    value: describeSchema(schema),
    isRequired,
    ...(byDefault !== undefined && { default: byDefault }),
    ...(examples.length > 0 && { example: examples[0] }),
    words: words.map((word, index) => ({ word: String(word), meaning: enumDescriptions[index] ?? "" })),
    keys: keysBelow(schema),
  };
}

function keysBelow(schema: JsonSchema): { key: string; description: string }[] {
  const own = Object.entries(schema.properties ?? {}).map(([key, { description = "" }]) => ({ key, description }));
  const parts = [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])];
  return [...own, ...parts.flatMap((part) => (part === undefined ? [] : keysBelow(part)))];
}

function explainType(name: string, types: Vocabularies): KeyExplanation[] {
  const schema = Object.hasOwn(types, name) ? types[name] : undefined;
  if (schema === undefined) return [];
  const description = outcomeTypes[name as keyof typeof outcomeTypes] ?? schema.description ?? "";
  const value = "a document with these keys beside those of every document";
  const path = `outcome_type: ${name}`;
  return [{ path, outcomeTypes: [name], description, value, isRequired: false, words: [], keys: keysBelow(schema) }];
}

const maxSuggestions = 5;

/** The longest part of the path that exists and what is near to the rest, else every key of a similar name. */
function suggest(wanted: readonly string[], places: readonly Place[]): string[] {
  const last = wanted.at(-1);
  if (last === undefined) return [];
  const before = wanted.slice(0, -1);
  const siblings = places.filter(({ segments }) => fits(segments.slice(0, -1), before));
  const nearby = (among: readonly Place[]) => {
    const meant = nearestKey(last, [...new Set(among.map(({ segments }) => segments.at(-1)!))]);
    return among.filter(({ segments }) => segments.at(-1) === meant).map(({ path }) => path);
  };
  const found = [
    nearby(siblings),
    nearby(places),
    places.flatMap((place) => (place.segments.at(-1) === last ? place.path : [])),
  ];
  return [...new Set(found.find((paths) => paths.length > 0) ?? [])].slice(0, maxSuggestions);
}
