import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { AttemptFolders } from "../../../src/engine/workspaces/attempt-folders.ts";
import { stuckFileCalls } from "../../../src/platform/project-files/index.ts";
import { slowRemoval } from "../../support/files/slow-removal.ts";
import { until } from "../../support/until.ts";

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

test("a process that leaves its removals ends before they do", { tags: "long" }, async () => {
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
