import type { CompleteSpec } from "@slipway/spec";
import type { Scripts } from "../plugin.ts";
import { FileSet } from "./file-set.ts";
import { js, markdown } from "./quote.ts";
import { titleOf } from "./title.ts";

/** The file in which the result says how to build, test and start it. */
export const scriptsFile = ".slipway/scripts.json";

/** The files of every result: README, licence, CI workflow, .gitignore and scripts. */
export function commonFiles(
  document: CompleteSpec,
  scripts: Scripts,
  sections: readonly string[] = [],
  writtenIn: Language = "javascript",
  ignored: readonly string[] = ["data/"],
): FileSet {
  const commands = { ...scripts, ...given(document) };
  return new FileSet()
    .add(scriptsFile, JSON.stringify(commands, undefined, 2))
    .add("README.md", readme(document, commands, sections))
    .add("LICENSE", licence)
    .add(".gitignore", ["node_modules/", "coverage/", "dist/", ...ignored, "__pycache__/", "*.pyc"].join("\n"))
    .add(".github/workflows/ci.yml", workflow(writtenIn, commands));
}

function given({ scripts = {} }: CompleteSpec): Scripts {
  const { build, test, start, health_check } = scripts as Scripts;
  return {
    ...(build !== undefined && { build }),
    ...(test !== undefined && { test }),
    ...(start !== undefined && { start }),
    ...(health_check !== undefined && { health_check }),
  };
}

function readme(document: CompleteSpec, scripts: Scripts, sections: readonly string[]): string {
  const how = Object.entries(scripts).map(([what, command]) => `| ${what} | ${code(command)} |`);
  return [
    `# ${markdown(titleOf(document))}`,
    "",
    markdown(document.description),
    ...(how.length > 0 ? ["", "## Commands", "", "| to | run |", "|---|---|", ...how] : []),
    ...sections.flatMap((section) => ["", section.trim()]),
    "",
    "## Licence",
    "",
    "MIT, see [LICENSE](LICENSE).",
  ].join("\n");
}

/** Inline code in Markdown, safe for any text. */
export function code(text: string): string {
  const line = text.replace(/\p{Cc}+/gu, " ").replaceAll("|", "\\|");
  return line.includes("`") ? `\`\` ${line} \`\`` : `\`${line}\``;
}

function workflow(writtenIn: Language, { build, test }: Scripts): string {
  const setup =
    writtenIn === "python"
      ? ["      - uses: actions/setup-python@v5", "        with: { python-version: '3.12' }"]
      : ["      - uses: actions/setup-node@v4", "        with: { node-version: 22 }"];
  const steps = [build, test]
    .filter((command) => command !== undefined)
    .map((command) => `      - run: ${js(command)}`);
  return [
    "name: ci",
    "on: [push, pull_request]",
    "jobs:",
    "  check:",
    "    runs-on: ubuntu-latest",
    "    steps:",
    "      - uses: actions/checkout@v4",
    ...setup,
    ...steps,
  ].join("\n");
}

/** The languages of results. */
export type Language = "javascript" | "python";

/** The language that the stack names; JavaScript if it names none that is supported. */
export function languageOf({ stack }: Pick<CompleteSpec, "stack">): Language {
  const named = [stack["language"], stack["backend"], stack["runtime"]].flat();
  const words = named.filter((word) => typeof word === "string").map((word) => word.toLowerCase());
  if (words.some((word) => word.startsWith("python"))) return "python";
  return "javascript";
}

const licence = `
MIT License

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software
is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES
OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE
LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR
IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
