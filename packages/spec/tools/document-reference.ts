import { documentShape } from "../src/schema/document.ts";
import { templateNames } from "../src/templates.ts";
import { addSection } from "./reference-section.ts";

/** The page that explains the document field by field, from its schema. */
export function documentReference(): string {
  const sections: string[] = [];
  addSection({ sections, seen: new Map(), level: "##" }, "", documentShape);
  return `# The specification document, field by field

<!-- Made from packages/spec/src/schema by \`npm run generate\`. -->

This page lists every field of a specification document: its type, default and meaning. A document
is YAML 1.2 or JSON. Fields marked **required** must be present. Slipway keeps unknown keys and
passes them to agents. Each outcome type adds [keys of its own](outcome-types/README.md).

\`slipway explain KEY\` prints what these pages say of a key. \`slipway validate --show-defaults\` lists
the defaults that apply to a document, and [diagnostics.md](diagnostics.md) lists everything
\`slipway validate\` can report.

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
