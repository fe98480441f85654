import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { chownFolder } from "../../../src/platform/sandbox/own-uid.ts";

test("a small folder is given to its user with names that are not UTF-8 and paths that are too long", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-own-"));
  onTestFinished(() => removeFolder(folder));
  const uid = process.getuid!() === 0 ? 12_345 : process.getuid!();
  // The one reads like the other.
  writeFileSync(join(folder, "\ufffd"), "");
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff])]), "");
  const name = "a".repeat(100);
  const dig = `for i in $(seq 45); do mkdir ${name} && cd -P ${name}; done; : > file`;
  const others = () => execFileSync("find", [folder, "!", "-uid", String(uid)], { encoding: "utf8" });
  await chownFolder(folder, uid, process.getgid!());
  expect(others()).toBe("");
  execFileSync("sh", ["-c", dig], { cwd: folder });
  await chownFolder(folder, uid, process.getgid!());
  expect(others()).toBe("");
});
