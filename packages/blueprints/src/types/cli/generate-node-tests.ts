import type { CompleteSpec } from "@slipway/spec";
import type { CalculateModule } from "../../kit/expression/calculate-module.ts";
import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import { nodeTests } from "../../kit/node-tests.ts";
import { js } from "../../kit/quote.ts";
import { staticFiles } from "../../kit/static-files.ts";
import { commandCases } from "./command-cases.ts";
import type { Command, Program } from "./model.ts";

const plain = staticFiles(new URL("./files/node/tests/plain/", import.meta.url));
const withRecords = staticFiles(new URL("./files/node/tests/records/", import.meta.url));

/** The test that a document's single test file gets. */
export const firstTest = "program";

/** The tests of the whole program; single commands have their own. */
export function programTests(document: CompleteSpec, program: Program, calculate: CalculateModule): FileSet {
  const { place } = nodeTests(document, firstTest);
  const files = new FileSet();
  const engine = [plain, ...(program.record === undefined ? [] : [withRecords])];
  for (const tests of engine) for (const [name, text] of tests) files.add(place(name.replace(/\.js$/, "")), text);
  return files.add(place("calculate"), calculateTest(calculate));
}

/** The tests of one command; none if no sample for its arguments is known. */
export function commandTest(document: CompleteSpec, command: Command, program: Program): FileSet {
  const cases = commandCases(command, program);
  const files = new FileSet();
  if (cases.length === 0) return files;
  const text = [
    'import { test } from "node:test";',
    'import { runSteps } from "#tools/run-program.js";',
    ...cases.flatMap(({ title, ...rest }) => [
      "",
      `test(${js(title)}, (t) =>`,
      `  runSteps(t, ${literal(rest, "  ")}));`,
    ]),
  ].join("\n");
  return files.add(nodeTests(document, firstTest).place(`command-${command.file}`), text);
}

function calculateTest({ names, cases }: CalculateModule): string {
  const used = names.filter((name) => cases.some(({ call, throws }) => throws === name || call.includes(`${name}(`)));
  return [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${used.toSorted().join(", ")} } from "#src/calculate.js";`,
    "",
    'test("calculations give what is known of them, or say why they cannot", () => {',
    ...cases.map(({ call, gives, throws }) =>
      throws === undefined ? `  assert.deepEqual(${call}, ${gives});` : `  assert.throws(() => ${call}, ${throws});`,
    ),
    "});",
  ].join("\n");
}
