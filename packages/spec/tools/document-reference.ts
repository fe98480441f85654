import { describeSchema } from "../src/check/describe-value.ts";
import { documentShape } from "../src/schema/document.ts";
import type { JsonSchema } from "../src/schema/shape.ts";
import { templateNames } from "../src/templates.ts";

/** The page that explains the document field by field, from its schema. */
export function documentReference(): string {
  const sections: string[] = [];
  addSection("The document", documentShape, sections, new Set());
  return `# The specification document, field by field

<!-- Made from packages/spec/src/schema by \`npm run generate\`. -->

This page lists every field of a specification document: its type, default and meaning. A document
is YAML 1.2 or JSON. Fields marked **required** must be present. Slipway keeps unknown keys and
passes them to agents. \`slipway validate --show-defaults\` lists the defaults that apply to a
document, and [diagnostics.md](diagnostics.md) lists everything \`slipway validate\` can report.

${sections.join("\n")}
## Templates

Slipway fills in \`{{…}}\` where a field says so. Everywhere else it is plain text.

| template | is |
|---|---|
${Object.entries(templateNames)
  .map(([name, meaning]) => `| \`{{${name}}}\` | ${meaning} |`)
  .join("\n")}
| \`{{secrets.NAME}}\` | the secret of that name; in credentials only |
`;
}

/** Adds a table of a map's fields, then a section for each field that is a map. */
function addSection(title: string, schema: JsonSchema, sections: string[], seen: Set<unknown>): void {
  const { properties, required = [] } = schema;
  if (properties === undefined || seen.has(properties)) return;
  seen.add(properties);
  const rows = Object.entries(properties).map(([key, property]) => {
    const isRequired = required.includes(key) ? " **required**" : "";
    return `| \`${key}\` | ${typeOf(property)}${isRequired} | ${defaultOf(property)} | ${describe(property)} |`;
  });
  const heading = title === "The document" ? `## ${title}` : `## \`${title}\``;
  sections.push(`${heading}

${wrap(schema.description ?? "")}

| field | value | default | meaning |
|---|---|---|---|
${rows.join("\n")}
`);
  // Environments repeat the top level: after it, so that a section is named by its shortest path.
  const fields = Object.entries(properties).toSorted(
    ([a], [b]) => Number(a === "environments") - Number(b === "environments"),
  );
  for (const [key, property] of fields) {
    const prefix = title === "The document" ? key : `${title}.${key}`;
    for (const [path, inner] of innerMaps(prefix, property)) addSection(path, inner, sections, seen);
  }
}

function innerMaps(path: string, schema: JsonSchema): [string, JsonSchema][] {
  if (schema.properties !== undefined) return [[path, schema]];
  if (schema.additionalProperties !== undefined) return innerMaps(`${path}.<name>`, schema.additionalProperties);
  if (schema.items !== undefined) return innerMaps(`${path}[]`, schema.items);
  return (schema.anyOf ?? []).flatMap((choice) => innerMaps(path, choice));
}

function typeOf(schema: JsonSchema): string {
  return escapeCell(describeSchema(schema));
}

function defaultOf({ default: value }: JsonSchema): string {
  return value === undefined || (typeof value === "object" && !Array.isArray(value))
    ? ""
    : `\`${JSON.stringify(value)}\``;
}

function describe({ description = "", enum: words, enumDescriptions, examples }: JsonSchema): string {
  const meanings = words?.map((word, index) => `\`${word}\`: ${enumDescriptions?.[index]}`).join(" ");
  const example = examples === undefined ? "" : `For example \`${JSON.stringify(examples[0])}\`.`;
  return escapeCell([description, meanings, example].filter(Boolean).join(" "));
}

/** Prose in lines of at most 100 characters. */
function wrap(text: string): string {
  return text.replaceAll(/(.{1,100})(?:\s+|$)/g, "$1\n").trimEnd();
}

function escapeCell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replace(/`[^`]*`/g, (code) => code.replaceAll("&lt;", "<"));
}
