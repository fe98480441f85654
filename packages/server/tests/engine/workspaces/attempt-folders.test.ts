import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { AttemptFolders } from "../../../src/engine/workspaces/attempt-folders.ts";
import { stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { until } from "../../support/until.ts";

/** Folders of attempts, and an `rm` that waits for a word before it removes the one of that name. */
function slowRemoval(slow: string) {
  const place = mkdtempSync(join(tmpdir(), "slipway-attempts-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const programs = join(place, "bin");
  mkdirSync(programs);
  const word = join(place, "word");
  execFileSync("mkfifo", [word]);
  const begun = join(place, "begun");
  const script = `#!/bin/sh\ncase "$*" in */${slow}) : > '${begun}'; read -r word < '${word}';; esac\nexec /bin/rm "$@"\n`;
  writeFileSync(join(programs, "rm"), script, { mode: 0o755 });
  const path = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  process.env["PATH"] = `${programs}:${path}`;
  const filled = (name: string, files: number) => {
    const folder = join(place, name);
    mkdirSync(folder);
    for (let count = 0; count < files; count += 1) writeFileSync(join(folder, String(count)), "");
    return folder;
  };
  const goOn = () => spawnSync("sh", ["-c", `echo > '${word}'`]);
  // Also where the test has failed before.
  onTestFinished(() => void spawnSync("sh", ["-c", `echo 1<> '${word}' >&1`]));
  return { filled, goOn, begun, hasBegun: () => existsSync(begun) };
}

test("nobody waits for the removal of another one's giant folder", async () => {
  const { filled, goOn, hasBegun } = slowRemoval("giant");
  const folders = new AttemptFolders();
  const giant = filled("giant", 300);
  const removed = folders.remove(giant);
  await until(hasBegun);
  const [small, large] = [filled("small", 3), filled("large", 300)];
  await Promise.all([folders.remove(small), folders.remove(large)]);
  expect([small, large, giant].map((folder) => existsSync(folder))).toEqual([false, false, true]);
  goOn();
  await removed;
  expect(existsSync(giant)).toBe(false);
});

test("a removal that takes long is left to its program: the disk is not taken for one that does not answer", async () => {
  const { filled, goOn, hasBegun } = slowRemoval("giant");
  const folders = new AttemptFolders({ small: 60_000, large: 1, whenStuck: 1 });
  const giant = filled("giant", 300);
  await expect(folders.remove(giant)).rejects.toThrow("takes long to remove: a program goes on with it.");
  await until(hasBegun);
  expect(stuckFileCalls()).toBe(0);
  await expect(folders.remove(giant)).rejects.toThrow("a program goes on with it");
  goOn();
  await until(() => !existsSync(giant));
});

test("a process that leaves its removals ends before they do", async () => {
  const { filled, goOn, begun } = slowRemoval("giant");
  const giant = filled("giant", 300);
  const source = new URL("../../../src/", import.meta.url).href;
  const script = `import { existsSync } from "node:fs";
    const { AttemptFolders } = await import("${source}engine/workspaces/attempt-folders.ts");
    const { leaveRemovals } = await import("${source}platform/remove-folder.ts"); const folders = new AttemptFolders();
    folders.remove("${giant}").catch(({ message }) => console.log(message));
    while (!existsSync("${begun}")) await new Promise(setImmediate);
    leaveRemovals();`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { timeout: 60_000 });
  expect([status, String(stdout)]).toEqual([0, expect.stringContaining("is still being removed.")]);
  expect(existsSync(giant)).toBe(true);
  goOn();
  await until(() => !existsSync(giant));
});
