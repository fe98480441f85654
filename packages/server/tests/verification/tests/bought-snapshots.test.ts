import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { copyPackage } from "../../support/verification/copy-packages.ts";
import { testFolder, testProject, writeProject } from "../../support/verification/test-project.ts";

// A test passes always where its runner writes what it is compared with.

const part = { guardrails: { tests_required: true } };
const line = "/guardrails/tests_required";

test("node:test: a script that asks for new snapshots gets none", async () => {
  const files = {
    "package.json": JSON.stringify({ type: "module", scripts: { test: "node --test --test-update-snapshots" } }),
    "test/a.test.js": 'import { test } from "node:test";\ntest("sum", (t) => t.assert.snapshot(1 + 1));\n',
    "test/a.test.js.snapshot": "exports[`sum 1`] = `\n3\n`;\n",
  };
  expect((await testProject(files, part)).verdicts[line]).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("'sum'"),
  });
});

test("vitest: snapshots that the configuration has written anew, or for the first time, buy nothing", {
  tags: "long",
}, async () => {
  const folder = writeProject({
    "package.json": JSON.stringify({ type: "module", scripts: { test: "vitest run" } }),
    "tests/a.spec.ts": 'import { expect, test } from "vitest";\ntest("sum", () => expect(1 + 1).toMatchSnapshot());\n',
    "tests/__snapshots__/a.spec.ts.snap":
      "// Vitest Snapshot v1, https://vitest.dev/guide/snapshot.html\n\nexports[`sum 1`] = `3`;\n",
    "vitest.config.js": "export default { test: { update: true, include: ['tests/**/*.spec.ts'] } };\n",
  });
  copyPackage("vitest", folder);
  const stale = await verdictOn(folder);
  expect(stale).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("changed test files: tests/__snapshots__/a.spec.ts.snap"),
  });
  expect(await verdictOn(folder)).toMatchObject({ verdict: "passed" });
  writeFileSync(
    join(folder, "tests/b.spec.ts"),
    'import { expect, test } from "vitest";\ntest("new", () => expect(1 + 1).toMatchSnapshot());\n',
  );
  expect(await verdictOn(folder)).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("changed test files: tests/__snapshots__/b.spec.ts.snap"),
  });
});

async function verdictOn(folder: string) {
  return (await testFolder(folder, part)).verdicts[line];
}
