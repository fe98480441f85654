import { diagnosticCodes } from "../src/diagnostics/codes.ts";
import { limits } from "../src/limits.ts";

/** The page that lists every diagnostic code. */
export function diagnosticsReference(): string {
  const rows = Object.entries(diagnosticCodes).map(
    ([code, { severity, about, summary }]) => `| \`${code}\` | ${severity} | ${about} | ${summary} |`,
  );
  return `# Diagnostics

<!-- Made from packages/spec/src/diagnostics/codes.ts by \`npm run generate\`. -->

\`slipway validate\` and the API report every problem of a document as a diagnostic:

- \`severity\`: errors make a document invalid; warnings and notes (\`info\`) do not.
- \`code\`: one of the codes below. The list is closed: tools may rely on it.
- \`message\`, and usually a \`suggestion\`.
- \`pointer\`: a JSON Pointer to the value; empty for the document as a whole.
- \`line\`, \`column\`, \`endLine\`, \`endColumn\`: counted from 1, columns in UTF-16 units. The end is after
  the last character.

The column *about* says what a code concerns: *syntax* the text itself, *document* what it says, *plan*
its task breakdown (\`tasks.yaml\`). At most ${limits.diagnostics} diagnostics are reported; \`more_problems\` counts the rest.

| code | severity | about | meaning |
|---|---|---|---|
${rows.join("\n")}
`;
}
