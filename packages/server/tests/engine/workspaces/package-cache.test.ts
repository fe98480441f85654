import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PackageCaches } from "../../../src/engine/workspaces/index.ts";
import { cannotFillDisk, mountOver } from "../../support/small-disk.ts";

const megabyte = 2 ** 20;
const signal = new AbortController().signal;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "caches-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("the caches that were used longest ago are removed until all fit, whatever times programs set in theirs", async () => {
  const caches = new PackageCaches(folder, 3 * megabyte);
  for (const [index, name] of ["oldest", "older", "newer", "newest"].entries()) {
    await fill(caches, name);
    const usedAt = new Date(2020, index);
    utimesSync(join(folder, `${name}.used`), usedAt, usedAt);
  }
  utimesSync(join(folder, "oldest"), new Date("2090-01-01"), new Date("2090-01-01"));

  await caches.trim(signal);
  expect(kept("oldest", "older", "newer", "newest")).toEqual(["newer", "newest"]);
});

test("a cache in use stays, and one that is too large by itself goes when nobody uses it", async () => {
  const caches = new PackageCaches(folder, megabyte / 2);
  await caches.lend("large", async (cache) => {
    writeFileSync(join(cache.folder, "package"), Buffer.alloc(megabyte, 1));
    await caches.trim(signal);
    expect(kept("large")).toEqual(["large"]);
  });

  await caches.trim(signal);
  expect(kept("large")).toEqual([]);
});

test("one that nobody can measure in time goes before the others, when nobody uses it", async () => {
  const patient = new PackageCaches(folder, megabyte);
  const impatient = new PackageCaches(folder, megabyte, 1);
  await impatient.lend("moving", async (cache) => {
    for (let index = 0; index < 101; index += 1) writeFileSync(join(cache.folder, String(index)), "");
    await patient.trim(signal);
    await impatient.trim(signal);
    expect(kept("moving")).toEqual(["moving"]);
  });

  await impatient.trim(signal);
  expect(kept("moving")).toEqual([]);
});

test.skipIf(cannotFillDisk)("where one cannot be removed, the next one goes", async () => {
  const caches = new PackageCaches(folder, 2 * megabyte);
  for (const [index, name] of ["stuck", "newer"].entries()) {
    await fill(caches, name);
    const usedAt = new Date(2020, index);
    utimesSync(join(folder, `${name}.used`), usedAt, usedAt);
  }
  const mounted = join(folder, "stuck", "mounted");
  mkdirSync(mounted);
  mountOver(mounted, "1m");
  try {
    await expect(caches.trim(signal)).rejects.toThrow("Some package caches could not be removed.");
  } finally {
    spawnSync("umount", [mounted]);
  }
  expect(kept("newer")).toEqual([]);
});

test("what a run adds to a cache that was measured before counts", async () => {
  const caches = new PackageCaches(folder, 2 * megabyte);
  await fill(caches, "project");
  await caches.trim(signal);
  expect(kept("project")).toEqual(["project"]);

  await caches.lend("project", async (cache) =>
    writeFileSync(join(cache.folder, "more"), Buffer.alloc(2 * megabyte, 1)),
  );
  await caches.trim(signal);
  expect(kept("project")).toEqual([]);
});

test.skipIf(cannotFillDisk)(
  "what a program of another run adds to one counts when the disk is short of room",
  async () => {
    mountOver(folder, "8m");
    try {
      const caches = new PackageCaches(folder, 2 * megabyte);
      await fill(caches, "project");
      await caches.trim(signal);
      expect(kept("project")).toEqual(["project"]);

      writeFileSync(join(folder, "project", "more"), Buffer.alloc(6.5 * megabyte, 1));
      await caches.trim(signal);
      expect(kept("project")).toEqual([]);
    } finally {
      spawnSync("umount", ["-l", folder]);
    }
  },
);

test("a run that begins while its cache is removed waits, and finds an empty one", async () => {
  const caches = new PackageCaches(folder, 1);
  await fill(caches, "project");
  const removal = caches.remove("project");
  await caches.lend("project", async (cache) => {
    await removal;
    expect(existsSync(cache.folder)).toBe(true);
    expect(existsSync(join(cache.folder, "npm"))).toBe(false);
  });
});

async function fill(caches: PackageCaches, projectId: string): Promise<void> {
  await caches.lend(projectId, async ({ env }) => {
    mkdirSync(env["npm_config_cache"]!);
    writeFileSync(join(env["npm_config_cache"]!, "package"), Buffer.alloc(1.2 * megabyte, 1));
  });
}

function kept(...projectIds: readonly string[]): readonly string[] {
  return projectIds.filter((projectId) => existsSync(join(folder, projectId)));
}
