import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { testFolder, writeProject } from "../../support/verification/test-project.ts";

const required = { guardrails: { tests_required: true, min_test_coverage: 0.5 } };
const write = (folder: string, path: string, text: string) => writeFileSync(join(folder, path), text);
const line = "/guardrails/tests_required";

test("vitest: cases by file and group; a green setup file, a stubbed runner and late errors are caught", async () => {
  const folder = writeProject({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "vitest run" } }),
    "src/add.ts": "export const add = (a: number, b: number): number => a + b;\n",
    "tests/add.spec.ts": `import { describe, expect, test } from "vitest";
import { add } from "../src/add.ts";
test("adds", () => expect(add(1, 2)).toBe(3));
describe("more", () => { test.skip("later", () => expect(1).toBe(2)); });
`,
    "vitest.config.js": "export default { test: { bail: 1, include: ['tests/**/*.spec.ts'] } };\n",
  });
  copyPackage("vitest", folder);
  const honest = await testFolder(folder, required);
  expect(honest.result.problems).toEqual([]);
  expect(honest.result.cases.map(({ file, name, outcome }) => `${file} ${name} ${outcome}`)).toEqual([
    "tests/add.spec.ts adds passed",
    "tests/add.spec.ts more > later skipped",
  ]);
  expect(honest.verdicts[line]?.verdict).toBe("passed");
  expect(honest.verdicts["/guardrails/min_test_coverage"]).toMatchObject({
    verdict: "not_checked",
    reason: expect.stringContaining("@vitest/coverage-v8"),
  });

  write(folder, "tests/add.spec.ts", 'import "../src/none.ts";\n');
  const broken = await testFolder(folder, required);
  expect(broken.result.cases).toMatchObject([{ file: "tests/add.spec.ts", outcome: "failed", isNoTest: true }]);

  write(folder, "tests/add.spec.ts", 'import { expect, test } from "vitest";\ntest("bad", () => expect(1).toBe(3));\n');
  write(
    folder,
    "setup.ts",
    'import { beforeEach } from "vitest";\nbeforeEach(({ task }) => { task.fails = true; });\n',
  );
  write(folder, "vitest.config.js", "export default { test: { setupFiles: ['./setup.ts'] } };\n");
  const green = await testFolder(folder, required);
  expect(green.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });

  const late =
    'setTimeout(() => { throw new Error("late"); }, 1);\nawait new Promise((resolve) => setTimeout(resolve, 50));\n';
  write(
    folder,
    "tests/add.spec.ts",
    `import { expect, test } from "vitest";\ntest("late", async () => { ${late} expect(1 + 1).toBe(2); });\n`,
  );
  write(folder, "vitest.config.js", "export default { test: { dangerouslyIgnoreUnhandledErrors: false } };\n");
  const unhandled = await testFolder(folder, required);
  expect(unhandled.verdicts[line]?.reason).toContain("errors outside of tests");

  const report = '<testsuites><testsuite name="tests/add.spec.ts"><testcase name="bad"/></testsuite></testsuites>';
  const stub = `import { writeFileSync } from "node:fs";
const to = process.argv.find((one) => one.startsWith("--outputFile.junit=")).slice(19);
writeFileSync(to, '${report}');\n`;
  write(folder, "node_modules/vitest/vitest.mjs", stub);
  const stubbed = await testFolder(folder, required);
  expect(stubbed.verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("turns failures green"),
  });
});
