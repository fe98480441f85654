import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { listFiles, testsOf } from "../../../src/verification/tests/test-files.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";
import { documentOf } from "../../support/releases/stage.ts";

test("fifty thousand files hide neither the tests nor the sources that come after them", { tags: "long" }, async () => {
  const folder = mkdtempSync(join(fastFolder(), "slipway-many-"));
  onTestFinished(() => removeFolder(folder));
  for (const name of ["a", "z"]) mkdirSync(join(folder, name));
  for (let index = 0; index < 50_000; index += 1) writeFileSync(join(folder, "a", `${index}.txt`), "");
  for (const name of ["test_z.py", "z.py"]) writeFileSync(join(folder, "z", name), "");
  const found = await listFiles(documentOf("cli"), folder, new AbortController().signal);
  expect(found).toMatchObject({ tests: ["z/test_z.py"], sources: ["z/z.py"] });
});

test("more test files than are run are refused, instead of leaving the last ones out", { tags: "long" }, async () => {
  const place = { folder: fastFolder(), signal: new AbortController().signal };
  const paths = (count: number) => Array.from({ length: count }, (_, index) => `none/${index}.test.js`);
  expect(await testsOf("node:test", paths(5_000), place)).toHaveLength(5_000);
  await expect(testsOf("node:test", paths(5_001), place)).rejects.toThrow("has 5001 test files");
});
