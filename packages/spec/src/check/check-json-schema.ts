import { quote } from "./describe-value.ts";
import { nearest } from "./nearest.ts";

/** What is wrong in a JSON Schema that a document contains. */
export interface SchemaProblem {
  /** The keys that lead to it. */
  readonly at: readonly (string | number)[];
  readonly problem: string;
  readonly suggestion: string;
  /** The schema can be used, but a part of it says nothing: JSON Schema ignores what it does not know. */
  readonly isIgnored?: boolean;
}

/** Finds what makes a JSON Schema (2020-12) unusable; nothing is left for whoever compiles it to stumble over. */
export function checkJsonSchema(schema: unknown): readonly SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  checkPart({ root: schema, problems }, schema, []);
  return problems;
}

interface Context {
  readonly root: unknown;
  readonly problems: SchemaProblem[];
}
type Keys = SchemaProblem["at"];

function checkPart(context: Context, schema: unknown, at: Keys): void {
  if (typeof schema === "boolean") return;
  if (!isMap(schema)) {
    const suggestion = "Write a map such as { type: object }.";
    context.problems.push({ at, problem: "a schema must be a map, or true or false", suggestion });
    return;
  }
  for (const [keyword, value] of Object.entries(schema)) checkKeyword(context, keyword, value, [...at, keyword]);
}

const inMaps = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
const inLists = ["prefixItems", "allOf", "anyOf", "oneOf"];
const single = [
  ...["items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames"],
  ...["unevaluatedItems", "unevaluatedProperties"],
];
const counts = [
  ...["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"],
  ...["minContains", "maxContains"],
];
const numbers = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
const types = ["object", "array", "string", "number", "integer", "boolean", "null"];
/** What is compared; others are known to JSON Schema or to somebody, but not to us. */
export const checkedFormats = [
  ...["date", "time", "date-time", "iso-time", "iso-date-time", "duration", "uri", "uri-reference", "uri-template"],
  ...["url", "email", "hostname", "ipv4", "ipv6", "regex", "uuid", "json-pointer", "json-pointer-uri-fragment"],
  ...["relative-json-pointer", "byte", "int32", "int64", "float", "double", "password", "binary"],
] as const;
const otherKeywords = [
  ...["type", "enum", "const", "pattern", "required", "format", "uniqueItems", "dependentRequired", "dependencies"],
  ...["$ref", "$schema", "$id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$vocabulary", "$comment"],
  ...["title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly"],
  ...["contentEncoding", "contentMediaType", "contentSchema"],
];
const keywords = [...inMaps, ...inLists, ...single, ...counts, ...numbers, ...otherKeywords];
const version = "https://json-schema.org/draft/2020-12/schema";

function checkKeyword(context: Context, keyword: string, value: unknown, at: Keys): void {
  const report = (problem: string, suggestion: string, keys: Keys = at) =>
    context.problems.push({ at: keys, problem, suggestion });
  if (inMaps.includes(keyword)) {
    if (!isMap(value)) return void report(`'${keyword}' must be a map of schemas`, "Write a map.");
    for (const [name, part] of Object.entries(value)) {
      if (keyword === "patternProperties") checkPattern(report, name, [...at, name]);
      checkPart(context, part, [...at, name]);
    }
  } else if (inLists.includes(keyword)) {
    if (!Array.isArray(value) || value.length === 0)
      return void report(`'${keyword}' must be a list of schemas`, "Write a list with at least one schema.");
    for (const [index, part] of value.entries()) checkPart(context, part, [...at, index]);
  } else if (single.includes(keyword)) {
    if (Array.isArray(value)) return void report(`'${keyword}' must be one schema`, "Use 'prefixItems' for a list.");
    checkPart(context, value, at);
  } else if (counts.includes(keyword)) {
    if (!Number.isInteger(value) || (value as number) < 0)
      report(`'${keyword}' must be a whole number of at least 0`, "Write a number.");
  } else if (numbers.includes(keyword)) {
    if (typeof value !== "number" || (keyword === "multipleOf" && value <= 0))
      report(`'${keyword}' must be a number`, "Write a number.");
  } else if (keyword === "pattern") checkPattern(report, value, at);
  else if (keyword === "type") checkTypes(report, value);
  else if (keyword === "required") {
    if (!isListOfTexts(value) || new Set(value).size < value.length)
      report("'required' must be a list of different names", "Write a list of names.");
  } else if (keyword === "enum") {
    if (!Array.isArray(value) || value.length === 0)
      report("'enum' must be a list of values", "Write a list with at least one value.");
  } else if (keyword === "$ref") checkReference(report, context.root, value);
  else if (keyword === "$async") report("'$async' is no keyword of JSON Schema", "Leave it out.");
  else if (keyword === "$schema") {
    if (value !== version && value !== `${version}#`)
      report("'$schema' names another version", `Leave it out: it is read as ${version}.`);
  } else if (keyword === "format" && typeof value !== "string") {
    report("'format' must be a text", "Write a name such as 'date-time'.");
  } else {
    const ignored = keyword === "format" ? whyFormatIsIgnored(String(value)) : whyKeywordIsIgnored(keyword);
    if (ignored !== undefined) context.problems.push({ at, ...ignored, isIgnored: true });
  }
}

type Ignored = Pick<SchemaProblem, "problem" | "suggestion">;

function whyFormatIsIgnored(value: string): Ignored | undefined {
  if (checkedFormats.some((format) => format === value)) return undefined;
  const meant = nearest(value, checkedFormats);
  const suggestion = meant === undefined ? "Write a 'pattern' for it." : `Did you mean '${meant}'?`;
  return { problem: `The format ${quote(value)} is not checked: nobody here knows it`, suggestion };
}

/** Names of others' own are no mistake. */
function whyKeywordIsIgnored(keyword: string): Ignored | undefined {
  const meant = keywords.includes(keyword) ? undefined : nearest(keyword, keywords);
  if (meant === undefined) return undefined;
  return {
    problem: `${quote(keyword)} is not checked: it is no keyword of JSON Schema`,
    suggestion: `Did you mean '${meant}'?`,
  };
}

type Report = (problem: string, suggestion: string, keys?: Keys) => void;

function checkTypes(report: Report, value: unknown): void {
  const words = Array.isArray(value) ? value : [value];
  const wrong = words.find((word) => !types.includes(word as string));
  if (words.length > 0 && wrong === undefined) return;
  const meant = typeof wrong === "string" ? nearest(wrong, types) : undefined;
  const suggestion = meant === undefined ? `Use one of ${types.join(", ")}.` : `Did you mean '${meant}'?`;
  report(`${quote(String(wrong ?? "[]"))} is not a type`, suggestion);
}

function checkPattern(report: Report, value: unknown, at: Keys): void {
  try {
    if (typeof value !== "string") throw new Error("not a string");
    new RegExp(value, "u");
  } catch {
    report(`${quote(String(value))} is not a regular expression`, "Write one as in JavaScript, with the flag 'u'.", at);
  }
}

/** Only places of the same schema can be named: nothing is fetched. */
function checkReference(report: Report, root: unknown, value: unknown): void {
  const pointer = typeof value === "string" && /^#(?:\/.*)?$/s.test(value) ? value.slice(1) : undefined;
  if (pointer === undefined)
    return void report(
      "'$ref' must name a place of this schema",
      "Write it as '#/$defs/name', and the part to '$defs'.",
    );
  let found: unknown = root;
  for (const key of pointer.split("/").slice(1)) {
    const name = key.replaceAll("~1", "/").replaceAll("~0", "~");
    found = typeof found === "object" && found !== null && Object.hasOwn(found, name) ? Object(found)[name] : undefined;
  }
  if (!isMap(found) && typeof found !== "boolean")
    report(`'$ref' names ${quote(String(value))}, which is not there`, "Add that part to the schema.");
}

function isListOfTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
