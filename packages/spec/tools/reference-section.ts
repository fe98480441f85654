import { describeSchema } from "../src/check/describe-value.ts";
import type { JsonSchema } from "../src/schema/shape.ts";

interface Page {
  readonly sections: string[];
  /** The maps that have a section, each with its path. */
  readonly seen: Map<unknown, string>;
  readonly level: "##" | "###";
}

/** Adds a table of a map's fields, then a section for each field that is a map. The path of the document is empty. */
export function addSection(page: Page, path: string, schema: JsonSchema): void {
  const { properties } = schema;
  if (properties === undefined || page.seen.has(properties)) return;
  page.seen.set(properties, path);
  page.sections.push(`${page.level} ${path === "" ? "The document" : `\`${path}\``}

${wrap(schema.description ?? "")}

${fieldTable(schema)}
`);
  // Environments repeat the top level: after it, so that a section is named by its shortest path.
  const fields = Object.entries(properties).toSorted(
    ([a], [b]) => Number(a === "environments") - Number(b === "environments"),
  );
  for (const [key, property] of fields) {
    for (const [at, inner] of innerMaps(path === "" ? key : `${path}.${key}`, property)) addSection(page, at, inner);
  }
}

function fieldTable({ properties = {}, required = [] }: JsonSchema): string {
  const rows = Object.entries(properties).map(([key, property]) => {
    const isRequired = required.includes(key) ? " **required**" : "";
    return `| \`${key}\` | ${typeOf(property)}${isRequired} | ${defaultOf(property)} | ${describe(property)} |`;
  });
  return `| field | value | default | meaning |\n|---|---|---|---|\n${rows.join("\n")}`;
}

/** The maps with known fields in a value, each with its path. */
export function innerMaps(path: string, schema: JsonSchema): [string, JsonSchema][] {
  if (schema.properties !== undefined) return [[path, schema]];
  if (schema.additionalProperties !== undefined) return innerMaps(`${path}.<name>`, schema.additionalProperties);
  if (schema.items !== undefined) return innerMaps(`${path}[]`, schema.items);
  return (schema.anyOf ?? []).flatMap((choice) => innerMaps(path, choice));
}

export function typeOf(schema: JsonSchema): string {
  return escapeCell(describeSchema(schema));
}

export function defaultOf({ default: value }: JsonSchema): string {
  return value === undefined || (typeof value === "object" && !Array.isArray(value))
    ? ""
    : `\`${JSON.stringify(value)}\``;
}

function describe(property: JsonSchema): string {
  const { description = "", examples } = property;
  const example = examples === undefined ? "" : `For example \`${JSON.stringify(examples[0])}\`.`;
  return escapeCell([description, ...meaningsOf(property), example].filter(Boolean).join(" "));
}

/** Each word of a closed list with its meaning. */
export function meaningsOf({ enum: words = [], enumDescriptions = [] }: JsonSchema): string[] {
  return words.map((word, index) => `\`${word}\`: ${enumDescriptions[index]}`);
}

/** Prose in lines of at most 100 characters. */
export function wrap(text: string): string {
  return text.replaceAll(/(.{1,100})(?:\s+|$)/g, "$1\n").trimEnd();
}

function escapeCell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replace(/`[^`]*`/g, (code) => code.replaceAll("&lt;", "<"));
}
