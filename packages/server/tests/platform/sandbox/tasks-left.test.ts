import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { tasksLeft } from "../../../src/platform/sandbox/tasks-left.ts";

const machine = {
  "proc/loadavg": "0.50 0.40 0.30 3/1000 4711\n",
  "proc/sys/kernel/pid_max": "32768\n",
  "proc/sys/kernel/threads-max": "90000\n",
};

test.for([
  ["the machine", {}, 31_768],
  ["a machine with little memory", { "proc/sys/kernel/threads-max": "4000\n" }, 3_000],
  [
    "a control group above that of the service",
    {
      "proc/self/cgroup": "0::/user.slice/own.scope\n",
      "sys/fs/cgroup/user.slice/own.scope/pids.max": "max\n",
      "sys/fs/cgroup/user.slice/own.scope/pids.current": "20\n",
      "sys/fs/cgroup/user.slice/pids.max": "500\n",
      "sys/fs/cgroup/user.slice/pids.current": "80\n",
    },
    420,
  ],
  [
    "a container, whose group stands for all groups",
    {
      "proc/self/cgroup": "9:memory:/pod/one\n8:pids:/pod/one\n0::/pod/one\n",
      "sys/fs/cgroup/pids/pids.max": "4096\n",
      "sys/fs/cgroup/pids/pids.current": "96\n",
    },
    4_000,
  ],
  ["a machine of others' numbers", { "proc/sys/kernel/pid_max": "400\n" }, 89_000],
] as const)("processes and threads that are left are counted in %s", ([_, files, left]) => {
  const root = mkdtempSync(join(tmpdir(), "slipway-tasks-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const [path, text] of Object.entries({ ...machine, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  expect(tasksLeft(root)).toBe(left);
});

test("where nobody can tell, nothing bounds them", () => {
  expect(tasksLeft("/nowhere")).toBe(Number.POSITIVE_INFINITY);
});
