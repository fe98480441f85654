import { spawn } from "node:child_process";
import { expect, onTestFinished, test } from "vitest";
import { ProcessTable } from "../../../src/platform/sandbox/process-table.ts";
import { ProcessTree } from "../../../src/platform/sandbox/process-tree.ts";
import { RunsTogether } from "../../../src/platform/sandbox/runs-together.ts";
import { ampleLimits } from "../../support/ample-limits.ts";

test.skipIf(!ProcessTable.isSupported)(
  "bubblewrap's own processes do not count before it is told which ones they are",
  async () => {
    // Like bubblewrap, with the first process inside and a program.
    const inside = "sh -c 'sleep 1000 & echo here; wait' & wait";
    const root = spawn("/bin/sh", ["-c", inside], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
    onTestFinished(() => void process.kill(-root.pid!, "SIGKILL"));
    await new Promise((resolve) => root.stdout.once("data", resolve));
    const measure = async (isConfined: boolean) => {
      const options = { runId: "told-later", root: root.pid!, together: new RunsTogether(), isConfined };
      return (await new ProcessTree(new ProcessTable(), options).measure(ampleLimits)).processes;
    };
    expect([await measure(true), await measure(false)]).toEqual([1, 3]);
  },
);
