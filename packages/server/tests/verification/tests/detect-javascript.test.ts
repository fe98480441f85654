import { expect, test } from "vitest";
import { detectJavascript } from "../../../src/verification/tests/detect-javascript.ts";
import { measureHolding } from "../../support/measure-holding.ts";
import { onlyRoot } from "../../support/verification/packages.ts";

const where = { folder: "/nowhere", signal: new AbortController().signal };

test("a file beside tests is a helper of them, and one without any is a test, at whichever depth they lie", async () => {
  const { all } = onlyRoot({});
  const packages = {
    all: [
      { ...all[0]!, needs: new Set(["jest"]) },
      { ...all[0]!, folder: "web" },
    ],
    workspaces: [],
  };
  const filesOf = async (...paths: string[]) => {
    const { groups } = await detectJavascript(where, paths, packages, undefined);
    return groups.flatMap(({ files }) => files);
  };
  expect(await filesOf("test/a.js", "web/test/b.js")).toEqual(["test/a.js", "web/test/b.js"]);
  const inner = "web/src/deep/c.test.js";
  expect(await filesOf("test/a.js", "web/test/b.js", inner)).toEqual([inner]);
  expect(await filesOf("web/test/b.js", "d.test.js")).toEqual(["web/test/b.js", "d.test.js"]);
});

test("very many files without a runner hold nobody up", async () => {
  const tests = Array.from({ length: 5_000 }, (_, at) => `test/${"helper-".repeat(20)}${at}.js`);
  const { done, heldMs } = await measureHolding(() => detectJavascript(where, tests, onlyRoot({}), undefined));
  expect(done).toEqual({ groups: [], unknown: [] });
  // By asking each file about all others it was seconds.
  expect(heldMs).toBeLessThan(1_000);
});
