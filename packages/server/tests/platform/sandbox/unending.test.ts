import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { endProcesses } from "../../../src/platform/sandbox/end-processes.ts";
import { homeMarker, ProcessTable, runMarker } from "../../../src/platform/sandbox/process-table.ts";
import { ProcessTree } from "../../../src/platform/sandbox/process-tree.ts";
import { RunsTogether } from "../../../src/platform/sandbox/runs-together.ts";
import { silentDisk } from "../../support/files/silent-disk.ts";
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
  await until(() => livingOf(runId).some(disk.holds));
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
  await until(() => livingOf(runId).some(disk.holds));
  await child.kill();
  expect(await child.ended).toMatchObject({ is: "cancelled" });
  await free();
  await until(() => livingOf(runId).length === 0);
});

const source = (file: string) => JSON.stringify(new URL(`../../../src/platform/sandbox/${file}`, import.meta.url).href);

/** Takes all files that it may open while a run in a namespace is to be ended, and says by what that ended. */
const endsWithoutFiles = `
  import { spawn } from "node:child_process";
  import { once } from "node:events";
  import { closeSync, openSync } from "node:fs";
  import { endProcesses } from ${source("end-processes.ts")};
  import { readStat } from ${source("process-stat.ts")};
  import { ProcessTable } from ${source("process-table.ts")};
  import { ProcessTree } from ${source("process-tree.ts")};
  import { RunsTogether } from ${source("runs-together.ts")};
  const root = spawn("sleep", ["1000"], { stdio: "ignore" });
  const ended = once(root, "exit");
  const options = { runId: "no-files", root: root.pid, together: new RunsTogether(), isConfined: true };
  const tree = new ProcessTree(new ProcessTable(), options);
  tree.namespaceInit = readStat(root.pid);
  const files = [];
  try {
    for (;;) files.push(openSync("/dev/null"));
  } catch {}
  const over = endProcesses(tree, { graceMs: 0, atOnce: new AbortController().signal, limitMs: -1 });
  for (const file of files) closeSync(file);
  await over;
  root.kill("SIGTERM");
  console.log("ended by", (await ended)[1]);
`;

test.skipIf(!ProcessTable.isSupported)(
  "without a file left to open, no run is let go before it is killed",
  async () => {
    const command = 'ulimit -n 60 && exec "$0" --no-warnings --input-type=module -e "$1"';
    const { stdout } = await promisify(execFile)("sh", ["-c", command, process.execPath, endsWithoutFiles]);
    expect(stdout).toBe("ended by SIGKILL\n");
  },
);
