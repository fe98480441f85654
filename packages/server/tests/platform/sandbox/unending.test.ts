import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { endProcesses } from "../../../src/platform/sandbox/end-processes.ts";
import { homeMarker, ProcessTable, runMarker } from "../../../src/platform/sandbox/process-table.ts";
import { ProcessTree } from "../../../src/platform/sandbox/process-tree.ts";
import { RunsTogether } from "../../../src/platform/sandbox/runs-together.ts";
import { silentDisk, waitsForDisk } from "../../support/files/silent-disk.ts";
import { hasStuckDisks } from "../../support/files/stuck-disk.ts";
import { livingOf, sandboxFor } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

test.skipIf(!hasStuckDisks)("a process that waits for a disk for ever is not waited for", async ({ skip }) => {
  const { folder } = sandboxFor("plain");
  const disk = await silentDisk(folder);
  if (disk === undefined) return skip("nothing can be mounted");
  const { free } = disk;
  onTestFinished(free);
  const runId = "waits-for-ever";
  const env = { ...process.env, [homeMarker]: "silent-1-1", [runMarker]: runId };
  const root = spawn("ls", [folder], { stdio: "ignore", env });
  const ended = once(root, "exit");
  const options = { runId, root: root.pid!, together: new RunsTogether(), isConfined: false };
  const tree = new ProcessTree(new ProcessTable(), options);
  await until(() => livingOf(runId).some(waitsForDisk));
  await endProcesses(tree, { graceMs: 0, atOnce: new AbortController().signal, limitMs: 1 });
  expect(livingOf(runId)).toEqual([root.pid]);
  expect(tree.isGone).toBe(false);
  await free();
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test.skipIf(!hasStuckDisks)("nor does it keep its run from its end", { tags: "long" }, async ({ skip }) => {
  const { folder } = sandboxFor("plain");
  const disk = await silentDisk(folder);
  if (disk === undefined) return skip("nothing can be mounted");
  const { free } = disk;
  onTestFinished(free);
  const { child, runId } = await sandboxFor("plain").start({ command: `ls ${folder}` });
  await until(() => livingOf(runId).some(waitsForDisk));
  await child.kill();
  expect(await child.ended).toMatchObject({ is: "cancelled" });
  await free();
  await until(() => livingOf(runId).length === 0);
});
