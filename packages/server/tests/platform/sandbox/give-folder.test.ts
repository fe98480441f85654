import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { removeFolder } from "../../../src/platform/remove-folder.ts";
import { chownFolder, giveFolder, shareFolder } from "../../../src/platform/sandbox/give-folder.ts";
import { fastFolder } from "../../support/database/fast-folder.ts";
import { silentDisk } from "../../support/files/silent-disk.ts";
import { hasStuckDisks } from "../../support/files/stuck-disk.ts";
import { until } from "../../support/until.ts";

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

test.skipIf(process.getuid!() !== 0)("a link in the place of a user's folder is not taken for the folder", async () => {
  const place = mkdtempSync(join(tmpdir(), "slipway-own-"));
  onTestFinished(() => removeFolder(place));
  const [folder, link] = [join(place, "folder"), join(place, "link")];
  mkdirSync(folder);
  await giveFolder(folder, 12_345, 12_345);
  symlinkSync(folder, link);
  await giveFolder(link, 12_345, 12_345);
  expect([lstatSync(folder).uid, lstatSync(link).uid]).toEqual([12_345, 12_345]);
});

test("a folder is given to its user until nobody wants that any more, or it takes too long", async () => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-own-"));
  onTestFinished(() => removeFolder(folder));
  for (let index = 0; index < 201; index += 1) writeFileSync(join(folder, String(index)), "");
  const give = (options: { signal?: AbortSignal; limitMs?: number }) =>
    chownFolder(folder, process.getuid!(), process.getgid!(), options);
  // As where somebody moves what is in it ahead of it.
  const programs = mkdtempSync(join(tmpdir(), "slipway-own-"));
  onTestFinished(() => removeFolder(programs));
  writeFileSync(join(programs, "chown"), "#!/bin/sh\nexec sleep 1000\n", { mode: 0o755 });
  vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const cancel = new AbortController();
  const given = give({ signal: cancel.signal });
  cancel.abort(new Error("cancelled"));
  await expect(given).rejects.toThrow("cancelled");
  await expect(give({ limitMs: 1 })).rejects.toThrow("could not be given to its user within 0.001 seconds");
  vi.unstubAllEnvs();
  await give({});
});

describe.skipIf(!hasStuckDisks)("a disk that never answers does not hold up", () => {
  test.for([0, 201])("whose folder it is in, with %i other files", async (files, { skip }) => {
    const folder = await folderOnSilentDisk(skip, files);
    const given = chownFolder(folder, 12_345, 12_345, { limitMs: 500 });
    await expect(given).rejects.toThrow("could not be given to its user within 0.5 seconds");
  });

  test("who asks whose folder it is", async ({ skip }) => {
    const silent = join(await folderOnSilentDisk(skip), "silent");
    const calls = [giveFolder(silent, 12_345, 12_345, { limitMs: 500 }), shareFolder(silent, 12_345, { limitMs: 500 })];
    for (const call of calls) await expect(call).rejects.toThrow("within 0.5 seconds");
  });

  test("who shares a folder that it is in, nor who comes next", async ({ skip }) => {
    const folder = await folderOnSilentDisk(skip);
    const cancel = new AbortController();
    const cancelled = shareFolder(folder, 12_345, { signal: cancel.signal });
    const next = shareFolder(folder, 12_345, { limitMs: 500 });
    await expect(next).rejects.toThrow("could not be shared within 0.5 seconds");
    cancel.abort(new Error("cancelled"));
    await expect(cancelled).rejects.toThrow("cancelled");
  });

  async function folderOnSilentDisk(skip: (reason: string) => never, files = 0): Promise<string> {
    const folder = mkdtempSync(join(tmpdir(), "slipway-own-"));
    onTestFinished(() => removeFolder(folder));
    for (let index = 0; index < files; index += 1) writeFileSync(join(folder, String(index)), "");
    mkdirSync(join(folder, "silent"));
    const disk = await silentDisk(join(folder, "silent"));
    if (disk === undefined) return skip("nothing can be mounted");
    onTestFinished(async () => {
      await disk.free();
      await until(() => stuckFileCalls() === 0);
    });
    return folder;
  }
});

function heldBy(work: () => void): number {
  const { user, system } = process.cpuUsage();
  work();
  const after = process.cpuUsage();
  return after.user - user + after.system - system;
}

test.skipIf(process.getuid?.() !== 0)(
  "a folder that two runs share is not walked through once one may work there",
  { tags: "long" },
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

test.skipIf(process.getuid?.() !== 0)(
  "files outside of a folder stay their owner's, though somebody exchanges its folders for links",
  async () => {
    const place = mkdtempSync(join(tmpdir(), "slipway-own-"));
    onTestFinished(() => removeFolder(place));
    const folder = join(place, "folder");
    for (const path of [folder, join(folder, "a"), join(place, "others")]) mkdirSync(path);
    for (const path of ["folder/a/file", "others/file"]) writeFileSync(join(place, path), "");
    symlinkSync(join(place, "others"), join(folder, "b"));
    const program = `import ctypes
print("begun", flush=True)
exchange = ctypes.CDLL(None).renameat2
while True: exchange(-100, b"a", -100, b"b", 2)`;
    const child = spawn("python3", ["-c", program], { cwd: folder });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    // It takes ten at most where paths are followed.
    for (let left = 100; left > 0; left -= 1) await chownFolder(folder, 12_345, 12_345).catch(() => undefined);
    expect(lstatSync(join(place, "others/file")).uid).toBe(0);
  },
);
