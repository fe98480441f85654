import { joinWords, quote } from "../check/describe-value.ts";
import { nearestKey } from "../check/nearest.ts";
import { vocabularies, vocabularyOf } from "../outcome-types/index.ts";
import { shapeWith } from "../plugins.ts";
import { documentShape } from "../schema/document.ts";
import type { JsonSchema } from "../schema/shape.ts";
import { type UnknownKey, unknownKeys } from "../schema/unknown-keys.ts";
import type { Rule, RuleContext } from "./rule.ts";

/**
 * Warns of keys that neither the service nor the document's type has. Other agents read the whole document, so this is
 * never an error. A type that declares no keys says nothing about those at the top.
 */
export const checkUnusedKeys: Rule = (context) => {
  const shape = shapeWith(context.typeKeys);
  const isTypeKnown = Object.keys(context.typeKeys?.properties ?? {}).length > 0;
  for (const unknown of unknownKeys(shape, context.document)) {
    const { place } = unknown;
    const isTop = isOfType(place);
    if (isTop && !isTypeKnown) continue;
    // An environment overrides the top level: whatever stands there may stand here.
    const known = isTop ? [...unknown.known, ...Object.keys(shape.properties ?? {})] : unknown.known;
    if (!isTop || !known.includes(String(place.at(-1)))) reportUnused(context, { ...unknown, known });
  }
};

/** Whether a key stands where the keys of types are: at the top, or at that of an environment. */
function isOfType(place: UnknownKey["place"]): boolean {
  return place.length === 1 || (place.length === 3 && place[0] === "environments");
}

function reportUnused(context: RuleContext, { place, known }: UnknownKey): void {
  const key = String(place.at(-1));
  // The check of the value's schema has reported it as misspelled.
  if (nearestKey(key, known) !== undefined) return;
  const [message, remedy] = describe(context, place, key);
  context.report("unused_key", place, message, remedy, "key");
}

function describe({ document }: RuleContext, place: UnknownKey["place"], key: string): readonly [string, string] {
  const others = place.length === 1 ? typesWith(key) : [];
  const { outcome_type: type } = document;
  if (others.length > 0)
    return [`'${key}' is a key of ${joinWords(others, "and")}, not of ${type}.`, "Remove it, or change outcome_type."];
  const yours = "Name it 'x-…' if it is for you alone.";
  const section = sectionOf(place);
  if (section !== undefined)
    return [
      `The key ${quote(key)} of '${section}' is not used by anyone.`,
      `'slipway explain ${section}' lists the keys that are. ${yours}`,
    ];
  return vocabularyOf(type) === undefined
    ? [`The key ${quote(key)} is not used by the type '${type}'.`, yours]
    : [
        `The key ${quote(key)} is not used by the built-in builder.`,
        `'slipway explain ${type}' lists the keys that are. ${yours}`,
      ];
}

/** The section of every document in which a key stands, at the top or in an environment; undefined: it is one of a type. */
function sectionOf(place: UnknownKey["place"]): string | undefined {
  const [section] = place[0] === "environments" ? place.slice(2) : place;
  return isOfType(place) || !Object.hasOwn(documentShape.properties ?? {}, String(section))
    ? undefined
    : String(section);
}

function typesWith(key: string): string[] {
  const types = Object.entries<JsonSchema>(vocabularies);
  return types.filter(([, { properties = {} }]) => Object.hasOwn(properties, key)).map(([type]) => type);
}
