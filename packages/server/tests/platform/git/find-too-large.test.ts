// @module-tag soak

import { execFileSync } from "node:child_process";
import {
  closeSync,
  ftruncateSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
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
  expect(await whyTooLargeBuilt(tree)).toMatch(
    /^The built files are larger than 6144 MiB together; the largest is '.+'/,
  );
});

test.each(
  soakCases([
    ["that are names of one", linkSync],
    ["with holes", copyHoles],
  ] as const),
)("small files %s that a build makes count together", async (_kind, make) => {
  const tree = mkdtempSync(join(tmpdir(), "slipway-built-"));
  onTestFinished(() => removeFolder(tree));
  mkdirSync(join(tree, "d"));
  writeFileSync(join(tree, "a"), "");
  truncateSync(join(tree, "a"), 2 ** 20);
  for (let index = 1; index < 6144; index += 1) make(join(tree, "a"), join(tree, "d", String(index)));
  expect(await whyTooLargeBuilt(tree)).toBeUndefined();
  writeFileSync(join(tree, "one-more"), "a");
  expect(await whyTooLargeBuilt(tree)).toMatch(/^The built files are larger than 6144 MiB together; /);
});

function copyHoles(_from: string, to: string): void {
  const file = openSync(to, "wx");
  ftruncateSync(file, 2 ** 20);
  closeSync(file);
}
