import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ReleaseFolders } from "../../../src/deployment/index.ts";
import { currentFolder, prepareCurrent } from "../../../src/deployment/releases/index.ts";
import { testFolder } from "../../support/database/run-starter.ts";

test("a link that a killed service made and never used goes with its version", async () => {
  const apps = await testFolder();
  const folders = new ReleaseFolders(apps);
  const [deployment, live, killed] = ["dep_1", "rel_1", "rel_2"] as const;
  const current = folders.current(deployment);
  for (const release of [live, killed]) await mkdir(folders.release(deployment, release), { recursive: true });
  const first = await prepareCurrent(current, folders.release(deployment, live));
  await first.use();
  await prepareCurrent(current, folders.release(deployment, killed));

  await folders.keepOnly(deployment, new Set([live, killed]));
  expect(await readdir(join(apps, deployment))).toHaveLength(3);
  await folders.keepOnly(deployment, new Set([live]));
  expect((await readdir(join(apps, deployment))).toSorted()).toEqual(["current", "releases"]);
  expect(await currentFolder(current)).toBe(folders.release(deployment, live));
});
