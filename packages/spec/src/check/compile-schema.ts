import { describePath, Findings, type Path, type Span } from "../diagnostics/diagnostic.ts";
import type { JsonSchema, JsonType } from "../schema/shape.ts";
import { type MapNode, type Node, startOf } from "../yaml/node.ts";
import { type CheckContext, report, type TemplateText } from "./check-context.ts";
import { describeRange, describeSchema, describeValue, quote } from "./describe-value.ts";
import { reportMissingFields } from "./missing-fields.ts";
import { nearest, nearestKey } from "./nearest.ts";
import { remedyForFormat, remedyForRange, remedyForType } from "./remedy.ts";

/**
 * Checks a node and returns its value in the canonical spelling; undefined if it is invalid, which is then reported, so
 * that later rules can skip it.
 */
export type Check = (node: Node, path: Path | undefined, context: CheckContext) => unknown;

/** Compiles a schema to a check, once: walking the schema for each document would cost more than the check. */
export function compileSchema(schema: JsonSchema): Check {
  const known = compiled.get(schema);
  if (known !== undefined) return known;
  const check = skipUnreadable(compile(schema));
  compiled.set(schema, check);
  return check;
}

const compiled = new WeakMap<JsonSchema, Check>();

function skipUnreadable(check: Check): Check {
  return (node, path, context) =>
    node.kind === "scalar" && node.isUnreadable === true ? undefined : check(node, path, context);
}

function compile(schema: JsonSchema): Check {
  if (schema.anyOf !== undefined) return compileChoice(schema, schema.anyOf);
  if (schema.enum !== undefined) return compileWords(schema, schema.enum);
  if (schema.type === undefined) return (node) => node.value;
  switch (schema.type) {
    case "string":
      return compileText(schema);
    case "number":
    case "integer":
      return compileNumber(schema);
    case "boolean":
      return compileBoolean(schema);
    case "array":
      return compileList(schema);
    case "object":
      return compileMap(schema);
  }
}

function compileText(schema: JsonSchema): Check {
  const pattern = schema.pattern === undefined ? undefined : new RegExp(schema.pattern, "u");
  const use = schema["x-slipway-template"];
  return (node, path, context) => {
    if (node.kind !== "scalar" || typeof node.value !== "string") return wrongType(schema, node, path, context);
    const text = node.value;
    if (schema.minLength !== undefined && text.length < schema.minLength) {
      const isOne = schema.minLength === 1;
      const what = isOne ? "must not be empty" : `must have at least ${schema.minLength} characters`;
      report(
        "bad_format",
        `${describePath(path)} ${what}.`,
        node,
        path,
        context,
        isOne ? "Write a value." : `Write at least ${schema.minLength} characters.`,
      );
      return undefined;
    }
    if (isTooLong(text, schema)) {
      const message = `${describePath(path)} must have at most ${schema.maxLength} characters.`;
      report("bad_format", message, node, path, context, "Write a shorter one.");
      return undefined;
    }
    if (pattern !== undefined && !pattern.test(text)) {
      const expected = schema.patternErrorMessage ?? `a string of the form ${schema.pattern}`;
      const message = `${describePath(path)} must be ${expected}, not ${quote(text)}.`;
      report("bad_format", message, node, path, context, remedyForFormat(schema, text, pattern));
      return undefined;
    }
    if (use !== undefined && text.includes("{{")) context.templates.push({ text, use, path, span: node });
    return text;
  };
}

function isTooLong(text: string, { maxLength = Infinity }: JsonSchema = {}): boolean {
  // As JSON Schema counts, by whole characters.
  return text.length > maxLength && [...text.slice(0, 2 * maxLength + 1)].length > maxLength;
}

function compileNumber(schema: JsonSchema): Check {
  const { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity } = schema;
  return (node, path, context) => {
    const value = node.value;
    const fits = typeof value === "number" && Number.isFinite(value);
    if (!fits || (schema.type === "integer" && !Number.isInteger(value))) return wrongType(schema, node, path, context);
    if (value < minimum || value > maximum || value <= exclusiveMinimum) {
      const message = `${describePath(path)} must be a number${describeRange(schema)}, not ${value}.`;
      report("out_of_range", message, node, path, context, remedyForRange(schema, value));
    }
    return value;
  };
}

function compileBoolean(schema: JsonSchema): Check {
  return (node, path, context) =>
    typeof node.value === "boolean" ? node.value : wrongType(schema, node, path, context);
}

function compileWords(schema: JsonSchema, words: readonly (string | boolean)[]): Check {
  const allowed = new Set<unknown>(words);
  const means = new Map<unknown, string>(schema["x-slipway-means"]);
  const texts = words.filter((word) => typeof word === "string");
  return (node, path, context) => {
    if (allowed.has(node.value)) return means.get(node.value) ?? node.value;
    if (typeof node.value !== "string") return wrongType(schema, node, path, context);
    const message = `${describePath(path)} must be ${describeSchema(schema)}, not ${quote(node.value)}.`;
    const suggestion = didYouMean(nearest(node.value, texts)) ?? "Use one of them.";
    report("not_allowed", message, node, path, context, suggestion);
    return undefined;
  };
}

function compileList(schema: JsonSchema): Check {
  const checkItem = schema.items === undefined ? undefined : compileSchema(schema.items);
  return (node, path, context) => {
    if (node.kind !== "list") return wrongType(schema, node, path, context);
    if (checkItem === undefined) return node.value;
    for (const [index, item] of node.items.entries())
      node.value[index] = checkItem(item, { parent: path, key: index }, context);
    return node.value;
  };
}

function compileMap(schema: JsonSchema): Check {
  const known = new Map(
    Object.entries(schema.properties ?? {}).map(([key, property]) => [
      key,
      {
        check: compileSchema(property),
        sameAs: property["x-slipway-same-as"],
        elseFor: property["x-slipway-else-for"],
      },
    ]),
  );
  const knownKeys = [...known.keys()];
  const standIns = new Map([...known].map(([key, { elseFor }]) => [elseFor, key]));
  const checkOther = schema.additionalProperties === undefined ? undefined : compileSchema(schema.additionalProperties);
  const namesMustNotBeEmpty = schema.propertyNames?.minLength !== undefined;
  return (node, path, context) => {
    if (node.kind !== "map") return wrongType(schema, node, path, context);
    for (const { key, keySpan, node: value } of node.entries) {
      const here: Path = { parent: path, key };
      const property = known.get(key);
      if (property !== undefined) {
        node.value[key] = property.check(value, here, context);
        if (property.sameAs !== undefined) foldSpelling(node, key, property.sameAs, here, keySpan, context);
        if (property.elseFor !== undefined) takePlaceOf(node, key, property.elseFor);
      } else if (checkOther !== undefined) {
        if (namesMustNotBeEmpty && key === "")
          report("bad_format", `A name in ${describePath(path)} is empty.`, keySpan, here, context, "Write a name.");
        if (isTooLong(key, schema.propertyNames)) {
          const message = `A name in ${describePath(path)} must have at most ${schema.propertyNames?.maxLength} characters.`;
          report("bad_format", message, keySpan, here, context, "Write a shorter one.");
        }
        node.value[key] = checkOther(value, here, context);
      } else if (known.size > 0) {
        reportIfMisspelled(key, keySpan, here, knownKeys, context);
      }
    }
    if (schema.required !== undefined) {
      const isReplaced = (key: string) => node.entries.some((entry) => entry.key === standIns.get(key));
      const required = schema.required.filter((key) => !isReplaced(key));
      reportMissingFields(required, node, path, context);
    }
    return node.value;
  };
}

/** Moves the value of an alternative spelling to the canonical key, and refuses two different values. */
function foldSpelling(node: MapNode, key: string, sameAs: string, path: Path, span: Span, context: CheckContext): void {
  const value = node.value[key];
  delete node.value[key];
  if (value === undefined) return;
  const other = node.value[sameAs];
  if (other === undefined) {
    node.value[sameAs] = value;
  } else if (JSON.stringify(other) !== JSON.stringify(value)) {
    const message = `'${key}' and '${sameAs}' are the same setting, but have different values here.`;
    report("conflicting_keys", message, span, path, context, `Keep only '${sameAs}'.`);
  }
}

/** Moves the value to the key that it stands for, where that one is absent. */
function takePlaceOf(node: MapNode, key: string, elseFor: string): void {
  if (node.entries.some((entry) => entry.key === elseFor)) return;
  node.value[elseFor] = node.value[key];
  delete node.value[key];
}

function reportIfMisspelled(
  key: string,
  span: Span,
  path: Path,
  knownKeys: readonly string[],
  context: CheckContext,
): void {
  const meant = nearestKey(key, knownKeys);
  if (meant === undefined) return;
  report("misspelled_key", `Unknown key ${quote(key)}.`, span, path, context, didYouMean(meant));
}

/** Chooses by the kind of value; of several choices for that kind, the first without errors wins. */
function compileChoice(schema: JsonSchema, choices: readonly JsonSchema[]): Check {
  const options = choices.map((choice) => ({ takes: kindsTaken(choice), check: compileSchema(choice) }));
  return (node, path, context) => {
    const fitting = options.filter(({ takes }) => takes === undefined || takes.has(kindOf(node)));
    const [first] = fitting;
    if (first === undefined) return wrongType(schema, node, path, context);
    if (fitting.length === 1) return first.check(node, path, context);
    for (const { check } of fitting) {
      const attempt = { findings: new Findings(), templates: [] as TemplateText[] };
      const value = check(node, path, attempt);
      if (attempt.findings.hasErrors) continue;
      context.findings.addAll(attempt.findings, () => true);
      context.templates.push(...attempt.templates);
      return value;
    }
    return first.check(node, path, context);
  };
}

/** Kinds of values in schemas. */
type Kind = JsonType | "null";

function kindOf(node: Node): Kind {
  if (node.kind === "map") return "object";
  if (node.kind === "list") return "array";
  return node.value === null ? "null" : (typeof node.value as Kind);
}

/** The kinds of values that a schema accepts; undefined for all. */
function kindsTaken(schema: JsonSchema): ReadonlySet<Kind> | undefined {
  if (schema.enum !== undefined) return new Set(schema.enum.map((word) => typeof word as Kind));
  if (schema.type === undefined) return undefined;
  return new Set<Kind>([schema.type === "integer" ? "number" : schema.type]);
}

function wrongType(schema: JsonSchema, node: Node, path: Path | undefined, context: CheckContext): undefined {
  const message = `${describePath(path)} must be ${describeSchema(schema)}, not ${describeValue(node)}.`;
  report("wrong_type", message, startOf(node), path, context, remedyForType(schema, node));
  return undefined;
}

function didYouMean(word: string | undefined): string | undefined {
  return word === undefined ? undefined : `Did you mean '${word}'?`;
}
