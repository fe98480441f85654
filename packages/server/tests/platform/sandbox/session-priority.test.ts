import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { livingOf, sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

const sharesBySession = read("/proc/sys/kernel/sched_autogroup_enabled").trim() === "1";

describe.skipIf(!sharesBySession).for(ways)("where the kernel shares cores by session, %s:", (way) => {
  test("no program gets a larger share by sessions of its own", async () => {
    const { start } = sandboxFor(way);
    const own = read("/proc/self/autogroup");
    const command =
      "for i in 1 2 3; do setsid sleep 1000 & done; (setsid sh -c 'sleep 1001 & sleep 1001 &') & sleep 2000";
    const { runId } = await start({ command });
    const sleeping = (time: RegExp) =>
      livingOf(runId).filter((pid) => time.test(read(`/proc/${pid}/cmdline`).replaceAll("\0", " ")));
    const hasShare = (pid: number, nice: number) => read(`/proc/${pid}/autogroup`).endsWith(` nice ${nice}\n`);
    await until(() => sleeping(/^sleep 100[01]/).length === 5 && sleeping(/^sleep 2000/).length === 1);
    await until(() => sleeping(/^sleep 100[01]/).every((pid) => hasShare(pid, 10)));
    // The program's first session keeps its share, and so does the tests' own, which is that of the service.
    expect(sleeping(/^sleep 2000/).every((pid) => hasShare(pid, 0))).toBe(true);
    expect(read("/proc/self/autogroup")).toBe(own);
  });
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
