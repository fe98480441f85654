import { vocabularies } from "../src/outcome-types/index.ts";
import { outcomeTypes } from "../src/schema/document.ts";
import type { JsonSchema } from "../src/schema/shape.ts";
import { writeYaml } from "../src/yaml/write-yaml.ts";
import { addSection, defaultOf, innerMaps, meaningsOf, typeOf, wrap } from "./reference-section.ts";

type Types = Readonly<Record<string, JsonSchema>>;

const folder = "docs/reference/outcome-types";

/** A page for each outcome type with the keys that it adds, and a page that lists them, by their paths. */
export function outcomeTypePages(types: Types = vocabularies): Readonly<Record<string, string>> {
  const pages = Object.entries(types).map(([type, schema]) => [`${folder}/${type}.md`, pageOf(type, schema)]);
  return { [`${folder}/README.md`]: indexOf(types), ...Object.fromEntries(pages) };
}

function pageOf(type: string, schema: JsonSchema): string {
  const { properties = {}, required = [] } = schema;
  const seen = new Map<unknown, string>();
  const keys = Object.entries(properties);
  const isShown = keys.length > 0 ? "" : "\nThis type adds no keys.\n";
  return `# \`${type}\`

<!-- Made from packages/spec/src/outcome-types by \`npm run generate\`. -->

${wrap(`${aboutOf(type)} This page lists every key that a document with \`outcome_type: ${type}\` may have beyond [those of every document](../document.md). The built-in agent builds the result from these keys alone; it takes nothing from \`acceptance\`.`)}

\`slipway init ${type}\` writes a first document, and
[the example](../../../examples/${type}.yaml) is a
larger one.
${isShown}${keys.map(([key, property]) => `\n${keySection(key, property, required.includes(key), seen)}`).join("")}`;
}

/** One key of the document, with its example as somebody would write it, and the maps below it. */
function keySection(key: string, property: JsonSchema, isRequired: boolean, seen: Map<unknown, string>): string {
  const sections: string[] = [];
  const facts = [`It is ${typeOf(property)}.`, defaultSentence(property), isRequired ? "It is required." : ""];
  const meanings = meaningsOf(property);
  const others = innerMaps(key, property).flatMap(([, inner]) => seen.get(inner.properties) ?? []);
  for (const [path, inner] of innerMaps(key, property)) addSection({ sections, seen, level: "###" }, path, inner);
  const parts = [
    `## \`${key}\``,
    wrap([property.description ?? "", ...facts].filter(Boolean).join(" ")),
    ...meanings.map((meaning) => wrap(`- ${meaning}`)),
    ...others.map((path) => `Its fields are those of \`${path}\`.`),
    ...exampleOf(key, property),
    ...sections.map((section) => section.trimEnd()),
  ];
  return `${parts.join("\n\n")}\n`;
}

function defaultSentence(property: JsonSchema): string {
  const value = defaultOf(property);
  return value === "" ? "" : `The default is ${value}.`;
}

function exampleOf(key: string, { examples }: JsonSchema): string[] {
  if (examples === undefined) return [];
  return [`\`\`\`yaml\n${writeYaml({ [key]: examples[0] }).trimEnd()}\n\`\`\``];
}

function indexOf(types: Types): string {
  const rows = Object.entries(types).map(([type, { properties = {} }]) => {
    const keys = Object.keys(properties).map((key) => `\`${key}\``);
    return `| [\`${type}\`](${type}.md) | ${aboutOf(type)} | ${keys.join(", ")} |`;
  });
  return `# Outcome types

<!-- Made from packages/spec/src/outcome-types by \`npm run generate\`. -->

\`outcome_type\` says what kind of software a document describes. Each type adds keys to
[those of every document](../document.md), and the built-in agent builds the result from them.
\`slipway explain KEY\` prints what these pages say of a key.

| type | is | keys that it adds |
|---|---|---|
${rows.join("\n")}

- \`slipway validate\` warns of a key that the document's type does not have. It is no error: other
  agents read the whole document. A key that starts with \`x-\` is yours, and never a warning.
- The dry run, \`slipway plan\` and \`slipway run\` list what the built-in agent does not use or cannot
  build, with its line in the document. \`--strict\` makes that a failure.
- [Plugins](../plugins.md) add types with keys of their own.
`;
}

function aboutOf(type: string): string {
  return outcomeTypes[type as keyof typeof outcomeTypes] ?? "";
}
