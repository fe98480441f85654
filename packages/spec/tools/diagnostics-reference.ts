import { diagnosticCodes } from "../src/diagnostics/codes.ts";
import { limits } from "../src/limits.ts";

/** The page that lists every diagnostic code. */
export function diagnosticsReference(): string {
  const rows = Object.entries(diagnosticCodes).map(
    ([code, { severity, about, summary }]) => `| \`${code}\` | ${severity} | ${about} | ${summary} |`,
  );
  return `# Diagnostics

<!-- Made from packages/spec/src/diagnostics/codes.ts by \`npm run generate\`. -->

This page lists every problem that \`slipway validate\` and the service can report about a document.
Errors make a document invalid; warnings and notes (\`info\`) do not. Slipway reports at most
${limits.diagnostics} problems; \`more_problems\` counts the rest.

Each diagnostic has

- \`severity\`, a \`code\` from this closed list, and a \`message\`;
- \`pointer\`: a JSON Pointer to the value, empty for the whole document;
- \`line\`, \`column\`, \`endLine\`, \`endColumn\`: counted from 1, columns in UTF-16 units, the end
  after the last character;
- in most cases a \`suggestion\`.

The column "about" says what the problem is in: *syntax* (the text), *document* (its content), or
*plan* (the task breakdown, \`tasks.yaml\`).

| code | severity | about | meaning |
|---|---|---|---|
${rows.join("\n")}
`;
}
