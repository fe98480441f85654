// @module-tag soak

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { soakSize } from "../../../../../tools/soak-runs.ts";
import {
  listProjectFolder,
  readProjectFile,
  removeProjectFile,
  writeProjectFile,
} from "../../../src/platform/project-files/index.ts";
import { hostileTree } from "../../support/files/hostile-tree.ts";

/** Exchanges a folder for a link to another one and back, as fast as a program can, in a process of its own. */
const exchange = `
  const fs = require("node:fs");
  const [folder, outside] = process.argv.slice(1);
  // The service may have been there first: then this step is left out.
  const attempt = (step) => { try { step(); } catch { return; } };
  process.stdout.write("begun");
  for (;;) {
    attempt(() => fs.writeFileSync(folder + "/file", "inside", { flag: "wx" }));
    attempt(() => fs.renameSync(folder, folder + "-aside"));
    attempt(() => fs.symlinkSync(outside, folder));
    attempt(() => fs.unlinkSync(folder));
    attempt(() => fs.renameSync(folder + "-aside", folder));
    // The other side may have made the folder meanwhile.
    attempt(() => fs.rmSync(folder + "-aside", { recursive: true }));
  }`;

async function exchanging(folder: string, outside: string): Promise<void> {
  const child = spawn(process.execPath, ["-e", exchange, folder, outside], { stdio: ["ignore", "pipe", "ignore"] });
  await once(child.stdout, "data");
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await once(child, "exit");
  });
}

test.skipIf(process.platform !== "linux")(
  "nothing outside is read, listed, written or removed while a folder is exchanged for a link",
  async () => {
    const { tree, outside } = await hostileTree();
    await writeFile(join(outside, "only-outside"), "");
    await exchanging(join(tree, "folder"), outside);
    const seen = { read: new Set<string>(), listed: new Set<string>() };
    let refused = 0;
    const refuse = (error: { code?: string }) => {
      if (error.code === "link") refused += 1;
      return undefined;
    };
    const reads = () => readProjectFile(tree, "folder/file", { maxBytes: 100 }).then(String);
    // At least so often, and until a link was met at least so often.
    for (let round = 0; round < soakSize(300, 60) || refused < soakSize(30, 10); round += 1) {
      seen.read.add((await reads().catch(refuse)) ?? "");
      for (const { name } of (await listProjectFolder(tree, "folder").catch(refuse)) ?? []) seen.listed.add(name);
      await writeProjectFile(tree, "folder/new/deeper", "written").catch(refuse);
      await writeProjectFile(tree, "folder/file", "written").catch(refuse);
      await removeProjectFile(tree, "folder/file").catch(refuse);
    }
    expect(seen.read).not.toContain("secret");
    expect(seen.listed).not.toContain("only-outside");
    expect((await readdir(outside)).toSorted()).toEqual(["file", "only-outside"]);
    expect(await readFile(join(outside, "file"), "utf8")).toBe("secret");
  },
);
