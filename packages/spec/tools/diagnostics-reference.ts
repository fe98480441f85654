import { diagnosticCodes } from "../src/diagnostics/codes.ts";
import { limits } from "../src/limits.ts";

/** The page that lists what can be said of a document, made from the codes. */
export function diagnosticsReference(): string {
  const rows = Object.entries(diagnosticCodes).map(
    ([code, { severity, about, summary }]) => `| \`${code}\` | ${severity} | ${about} | ${summary} |`,
  );
  return `# Diagnostics

<!-- Made from packages/spec/src/diagnostics/codes.ts by \`npm run generate\`. -->

Each problem of a document has a \`severity\`, a \`code\` from this closed list, a \`message\`, a \`pointer\` (JSON Pointer to the value; empty
for the document as a whole), \`line\`, \`column\`, \`endLine\`, \`endColumn\` (from 1, columns in UTF-16 units, the end after the last
character) and mostly a \`suggestion\`. Errors make a document invalid; warnings and notes (\`info\`) do not. *syntax* is about the text,
*document* about what it says, *plan* about the task breakdown (\`tasks.yaml\`) of one. At most ${limits.diagnostics} are reported; \`more_problems\` counts the rest.

| code | severity | about | meaning |
|---|---|---|---|
${rows.join("\n")}
`;
}
