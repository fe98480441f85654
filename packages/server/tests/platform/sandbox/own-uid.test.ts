import { execFileSync } from "node:child_process";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { chownFolder, shareFolder } from "../../../src/platform/sandbox/own-uid.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";

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

test("a folder of very many files is given to its user without listing it here", { tags: "long" }, async () => {
  const folder = mkdtempSync(join(fastFolder(), "slipway-own-"));
  onTestFinished(() => removeFolder(folder));
  execFileSync("sh", ["-c", "seq 200000 | xargs touch"], { cwd: folder });
  const listed = heldBy(() => readdirSync(folder));
  let given: Promise<void> | undefined;
  const held = heldBy(() => {
    given = chownFolder(folder, process.getuid!(), process.getgid!());
  });
  await given;
  expect(held).toBeLessThan(listed);
});

function heldBy(work: () => void): number {
  const { user, system } = process.cpuUsage();
  work();
  const after = process.cpuUsage();
  return after.user - user + after.system - system;
}

test.skipIf(process.getuid?.() !== 0)(
  "a folder that two runs share is not walked through once one may work there",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "slipway-shared-"));
    onTestFinished(() => removeFolder(folder));
    const inner = Array.from({ length: 500 }, (_, index) => join(folder, String(index)));
    for (const path of inner) mkdirSync(path);
    const changes = () => inner.map((path) => lstatSync(path, { bigint: true }).ctimeNs);
    const calls = Array.from({ length: 4 }, () => shareFolder(folder, 12_345));
    await Promise.race(calls);
    const first = changes();
    await Promise.all(calls);
    expect(changes()).toEqual(first);
    expect(lstatSync(inner[0]!)).toMatchObject({ gid: 12_345, mode: 0o042_775 });
  },
);
