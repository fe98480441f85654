// @module-tag soak
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { homeMarker, runMarker } from "../../../src/platform/sandbox/process-table.ts";
import { sweepOrphans } from "../../../src/platform/sandbox/sweep-orphans.ts";
import { silentDisk } from "../../support/files/silent-disk.ts";
import { slowRemoval } from "../../support/files/slow-removal.ts";
import { hasStuckDisks } from "../../support/files/stuck-disk.ts";
import { livingOf, noBubblewrap, sandboxFor, ways } from "../../support/sandboxes.ts";
import { until } from "../../support/until.ts";

const program = fileURLToPath(new URL("../../support/run-sandboxed.ts", import.meta.url));

describe.for(soakCases(ways))("after a kill -9 of the service, %s:", (way) => {
  test("the next one ends all that it has left, and only that", async () => {
    const { sandbox, folder, dataFolder, start } = sandboxFor(way);
    const runId = `orphan-${process.pid}-${way}`;
    const command = `trap "" TERM HUP; (setsid sh -c 'echo up > up; exec sleep 1000' >/dev/null 2>&1 &); sleep 1000`;
    const mode = way === "plain" ? "none" : "bubblewrap";
    const asked = JSON.stringify({ mode, dataFolder, folder, runId, command });
    const service = spawn(process.execPath, [program, asked], { stdio: "ignore" });
    await until(() => existsSync(join(folder, "up")));
    const other = await sandboxFor(way).start({ command: "sleep 1000" });
    const { child, runId: live } = await start({ command: "echo up; sleep 1000", folder: sandboxFor(way).folder });
    await once(child.stdout, "data");

    service.kill("SIGKILL");
    await once(service, "exit");
    if (way === "plain") expect(livingOf(runId).length).toBeGreaterThanOrEqual(2);
    await (await sandbox.sweepOrphans()).removal;

    expect(livingOf(runId)).toEqual([]);
    expect(readdirSync(tmpdir()).filter((name) => name.includes(runId))).toEqual([]);
    expect(livingOf(other.runId)).not.toEqual([]);
    expect(livingOf(live)).not.toEqual([]);
  });
});

test.skipIf(!hasStuckDisks)("one that waits for a disk for ever does not hold up the next start", async ({ skip }) => {
  const { folder } = sandboxFor("plain");
  const disk = await silentDisk(folder);
  if (disk === undefined) return skip("nothing can be mounted");
  const { free } = disk;
  onTestFinished(free);
  const env = { ...process.env, [homeMarker]: "silent-1-1", [runMarker]: "silent" };
  const orphan = spawn("ls", [folder], { stdio: "ignore", env });
  const ended = once(orphan, "exit");
  await until(() => livingOf("silent").some(disk.holds));
  expect(await sweepOrphans({ installation: "silent", isLive: () => false, limitMs: 1 })).toBe(1);
  expect(livingOf("silent")).toEqual([orphan.pid]);
  await free();
  expect(await ended).toEqual([null, "SIGKILL"]);
});

test("nobody who starts waits for the removal of a million files that a program left in its temporary folder", {
  tags: "long",
}, async () => {
  const { sandbox, folder, dataFolder } = sandboxFor("plain");
  const runId = `fills-${process.pid}`;
  const command = `cd "$TMPDIR" && seq 300 | xargs touch && cd "$OLDPWD" && echo up > up; sleep 1000`;
  const asked = JSON.stringify({ mode: "none", dataFolder, folder, runId, command });
  const service = spawn(process.execPath, [program, asked], { stdio: "ignore" });
  await until(() => existsSync(join(folder, "up")));
  service.kill("SIGKILL");
  await once(service, "exit");
  const left = () => readdirSync(tmpdir()).filter((name) => name.includes(runId));
  const { goOn, hasBegun } = slowRemoval(runId);
  const { removal } = await sandbox.sweepOrphans();
  await until(hasBegun);
  expect([livingOf(runId), left().length]).toEqual([[], 1]);
  goOn();
  await removal;
  expect(left()).toEqual([]);
});

test.for(soakCases(ways))(
  "what another service on the same data folder runs is not left over, %s",
  { tags: "long" },
  async (way) => {
    const { sandbox, folder, dataFolder } = sandboxFor(way);
    const runId = `beside-${process.pid}-${way}`;
    const mode = way === "plain" ? "none" : "bubblewrap";
    const asked = JSON.stringify({ mode, dataFolder, folder, runId, command: "echo up > up; sleep 1000" });
    const service = spawn(process.execPath, [program, asked], { stdio: "ignore" });
    await until(() => existsSync(join(folder, "up")));
    const before = livingOf(runId);
    await (await sandbox.sweepOrphans()).removal;
    // Others may have started meanwhile.
    expect(livingOf(runId)).toEqual(expect.arrayContaining(before));
    expect(readdirSync(tmpdir()).filter((name) => name.includes(runId))).toHaveLength(1);
    service.kill("SIGKILL");
    await once(service, "exit");
    await (await sandbox.sweepOrphans()).removal;
    expect(livingOf(runId)).toEqual([]);
  },
);

test.skipIf(noBubblewrap !== undefined)(
  "what another service started is not a run's own, whatever it says",
  async () => {
    const { start } = sandboxFor("bubblewrap");
    const ours = await start({ command: "echo up; sleep 1000" });
    await once(ours.child.stdout, "data");
    // As a deployed program, which belongs to the supervisor, beside an agent.
    const other = await sandboxFor("bubblewrap").start({
      command: `SLIPWAY_RUN=${ours.runId} sh -c 'echo up; sleep 1000'`,
    });
    await once(other.child.stdout, "data");
    await ours.child.kill();
    expect(livingOf(other.runId)).not.toEqual([]);
    expect(livingOf(ours.runId)).not.toEqual([]);
  },
);
