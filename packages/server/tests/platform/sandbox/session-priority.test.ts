// @module-tag soak

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { readStat } from "../../../src/platform/sandbox/process-stat.ts";
import { ProcessTable } from "../../../src/platform/sandbox/process-table.ts";
import { ProcessTree } from "../../../src/platform/sandbox/process-tree.ts";
import { RunsTogether } from "../../../src/platform/sandbox/runs-together.ts";
import { SessionPriority } from "../../../src/platform/sandbox/session-priority.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { livingOf, sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

const sharesBySession = read("/proc/sys/kernel/sched_autogroup_enabled").trim() === "1";
/** Left alone, beside the first. */
const spared = 4;

describe.skipIf(!sharesBySession).for(soakCases(ways))("where the kernel shares cores by session, %s:", (way) => {
  test("no program gets a larger share by many sessions of its own", async () => {
    const { start } = sandboxFor(way);
    const own = read("/proc/self/autogroup");
    const command = "for i in 1 2 3 4 5 6 7; do setsid sh -c 'sleep 1001 & sleep 1001' & done; sleep 2000";
    const { runId } = await start({ command });
    const sleeping = (time: number) =>
      livingOf(runId).filter((pid) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ") === `sleep ${time} `);
    const withShare = (nice: number) => sleeping(1001).filter((pid) => niceOf(pid) === nice);
    await until(() => sleeping(1001).length === 14 && sleeping(2000).length === 1);
    await until(() => withShare(10).length === 2 * (7 - spared));
    expect(withShare(0)).toHaveLength(2 * spared);
    // A program may take its share back, until the next look.
    for (const pid of withShare(10)) writeFileSync(`/proc/${pid}/autogroup`, "0");
    await until(() => withShare(10).length === 2 * (7 - spared));
    // The program's first session keeps its share, and so does the tests' own, which is that of the service.
    expect(sleeping(2000).map(niceOf)).toEqual([0]);
    expect(read("/proc/self/autogroup")).toBe(own);
  });

  test.skipIf(way === "plain")("no program gives its sessions their share back", async () => {
    const { run } = sandboxFor(way);
    const command = "setsid -w sh -c 'for i in 1 2 3; do sleep 0.1; echo 0 > /proc/self/autogroup && echo back; done'";
    const { stdout, stderr } = await run({ command });
    expect(stdout).toBe("");
    expect(stderr).toContain("Read-only file system");
  });
});

describe.skipIf(!sharesBySession)("where the kernel shares cores by session", () => {
  test("no session is lowered before it is known with which one a confined program begins", async () => {
    const root = await startSession("for i in 1 2 3 4 5 6; do setsid sleep 1000 & done; wait");
    const tree = new ProcessTree(new ProcessTable(), {
      ...{ runId: "unknown-init", root: root.pid!, together: new RunsTogether(), isConfined: true },
    });
    const sleeping = () => pidsIn(root).filter((pid) => read(`/proc/${pid}/cmdline`).startsWith("sleep"));
    await until(() => sleeping().length === 6);
    onTestFinished(() => {
      for (const pid of sleeping()) process.kill(pid);
    });
    await tree.measure(ampleLimits);
    expect(sleeping().map(niceOf)).toEqual([0, 0, 0, 0, 0, 0]);
    tree.namespaceInit = readStat(root.pid!)!;
    await until(async () => {
      await tree.measure(ampleLimits);
      return sleeping().filter((pid) => niceOf(pid) === 10).length === 6 - spared;
    });
  });

  test("a session is lowered whose last process has ended and is still there", async () => {
    const sessions = await Promise.all(Array.from({ length: spared + 1 }, () => startSession("exec sleep 1000")));
    const living = sessions.map(({ pid }) => readStat(pid!)!);
    const gone = await startSession("exit");
    if (gone.exitCode === null) await once(gone, "exit");
    const dead = living.map((one) => ({ ...one, pid: gone.pid!, thread: gone.pid!, isDead: true }));
    new SessionPriority().lower([...living, ...dead], []);
    expect(living.map(({ pid }) => niceOf(pid))).toEqual([0, 0, 0, 0, 10]);
  });
});

async function startSession(script: string): Promise<ChildProcess> {
  const child = spawn("/bin/sh", ["-c", script], { detached: true, stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  if (child.pid === undefined) await once(child, "spawn");
  return child;
}

function pidsIn({ pid }: ChildProcess): number[] {
  return read(`/proc/${pid}/task/${pid}/children`).trim().split(" ").map(Number);
}

function niceOf(pid: number): number {
  return Number(/ nice (-?\d+)\n$/.exec(read(`/proc/${pid}/autogroup`))?.[1]);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
