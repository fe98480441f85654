import { joinWords, quote } from "../check/describe-value.ts";
import { nearestKey } from "../check/nearest.ts";
import { vocabularies, vocabularyOf } from "../outcome-types/index.ts";
import { shapeWith } from "../plugins.ts";
import { documentShape } from "../schema/document.ts";
import type { JsonSchema } from "../schema/shape.ts";
import { entriesOf, type Keys, type Rule, type RuleContext } from "./rule.ts";

/**
 * Warns of keys that the document's type does not have: the built-in builder leaves them out. Other agents read the whole
 * document, so this is never an error. A type that declares no keys says nothing about any.
 */
export const checkUnusedKeys: Rule = (context) => {
  const { properties: declared = {} } = context.typeKeys ?? {};
  if (Object.keys(declared).length === 0) return;
  // A type may add keys to each service and environment: beside those of every document they are known.
  const { services, environments } = shapeWith(context.typeKeys).properties ?? {};
  const { services: ofServices, environments: ofEnvironments, ...own } = declared;
  const top = { ...own, ...(ofServices && services && { services }) };
  checkMap(context, context.document, [], top, Object.keys({ ...declared, ...documentShape.properties }));
  const each = { ...own, ...ofEnvironments?.additionalProperties?.properties };
  const inEnvironment = Object.keys({ ...documentShape.properties, ...environments?.additionalProperties?.properties });
  for (const [name, block] of entriesOf(context.document.environments))
    checkMap(context, block, ["environments", name], each, inEnvironment);
};

type Properties = NonNullable<JsonSchema["properties"]>;

/** Reports the keys of a map that nobody knows, and those below the keys that the type has. */
function checkMap(context: RuleContext, map: object, at: Keys, properties: Properties, known: readonly string[]): void {
  for (const [key, value] of Object.entries(map)) {
    const here = [...at, key];
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property !== undefined) checkBelow(context, value, here, property);
    else if (!known.includes(key)) reportUnused(context, here, key, known);
  }
}

function checkBelow(context: RuleContext, value: unknown, at: Keys, schema: JsonSchema): void {
  if (typeof value !== "object" || value === null) return;
  const choices = schema.anyOf ?? [schema];
  if (choices.some(({ type }) => type === undefined)) return;
  if (Array.isArray(value)) {
    const items = choices.find(({ type }) => type === "array")?.items;
    if (items !== undefined)
      for (const [index, item] of value.entries()) checkBelow(context, item, [...at, index], items);
    return;
  }
  const maps = choices.filter(({ type }) => type === "object");
  const others = maps.find(({ additionalProperties }) => additionalProperties !== undefined)?.additionalProperties;
  const properties: Properties = Object.assign({}, ...maps.map((choice) => choice.properties));
  if (others !== undefined) {
    for (const [key, inner] of Object.entries(value))
      checkBelow(context, inner, [...at, key], properties[key] ?? others);
  } else if (maps.length > 0 && maps.every((choice) => choice.properties !== undefined)) {
    checkMap(context, value, at, properties, Object.keys(properties));
  }
}

function reportUnused(context: RuleContext, at: Keys, key: string, known: readonly string[]): void {
  // Keys with this prefix are the author's own, here and in other formats.
  if (key.startsWith("x-")) return;
  // The check of the value's schema has reported it as misspelled.
  if (nearestKey(key, known) !== undefined) return;
  const { outcome_type: type } = context.document;
  const others = at.length === 1 ? typesWith(key) : [];
  const isBuiltIn = vocabularyOf(type) !== undefined;
  const list = isBuiltIn ? `'slipway explain ${type}' lists the keys that are. ` : "";
  const [message, remedy] =
    others.length > 0
      ? [`'${key}' is a key of ${joinWords(others, "and")}, not of ${type}.`, "Remove it, or change outcome_type."]
      : [
          `The key ${quote(key)} is not used by ${isBuiltIn ? "the built-in builder" : `the type '${type}'`}.`,
          `${list}Name it 'x-…' if it is for you alone.`,
        ];
  context.report("unused_key", at, message, remedy, "key");
}

function typesWith(key: string): string[] {
  const types = Object.entries<JsonSchema>(vocabularies);
  return types.filter(([, { properties = {} }]) => Object.hasOwn(properties, key)).map(([type]) => type);
}
