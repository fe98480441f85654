import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { whyTooLargeBuilt } from "../../../src/platform/git/index.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";

const name = "a".repeat(100);

test.each([
  ["below a path longer than the system takes", `for i in $(seq 45); do mkdir ${name} && cd -P ${name}; done; n=x`],
  ["under a name that is not UTF-8, beside one that reads alike", "n=$(printf '\\377'); : > \ufffd"],
])("a giant that a build makes is found %s", async (_where, prepare) => {
  const tree = mkdtempSync(join(tmpdir(), "slipway-built-"));
  onTestFinished(() => removeFolder(tree));
  execFileSync("sh", ["-c", `${prepare}; truncate -s 7T "$n"`], { cwd: tree });
  expect(await whyTooLargeBuilt(tree)).toMatch(/^The built file '.+' cannot be measured: /);
});
