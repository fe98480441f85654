import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmdirSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Why tests with a full disk are left out on this machine; nothing if they run. */
export const cannotFillDisk = canMount() ? undefined : "a small disk cannot be mounted here (needs root)";

/** A disk of that size (`1m`, or `1m,nr_inodes=9` for so many files), gone after the test. */
export function smallDisk(size: string): string {
  const folder = mkdtempSync(join(tmpdir(), "slipway-small-disk-"));
  // Before the other one: they are called last first.
  onTestFinished(() => rmdirSync(folder));
  mountOver(folder, size);
  return folder;
}

/** Lays such a disk over a folder; after the test the folder is as before. */
export function mountOver(folder: string, size: string): void {
  mount(folder, size);
  onTestFinished(() => void spawnSync("umount", ["-l", folder]));
}

/** Lays such a disk over a folder, with all that is in it. */
export function moveToSmallDisk(folder: string, size: string): void {
  const aside = mkdtempSync(join(tmpdir(), "slipway-aside-"));
  spawnSync("cp", ["-a", `${folder}/.`, aside]);
  mountOver(folder, size);
  spawnSync("cp", ["-a", `${aside}/.`, folder]);
  rmSync(aside, { recursive: true });
}

/** Leaves no room on a disk, until the function it gives is called. */
export function fillDisk(folder: string): () => void {
  const path = join(folder, "ballast");
  const file = openSync(path, "w");
  for (let size = 1 << 20; size > 0; size >>= 1) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {
      // A smaller piece may still fit.
    }
  }
  closeSync(file);
  return () => rmSync(path);
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "slipway-small-disk-"));
  const isMounted = mount(folder, "1m");
  if (isMounted) spawnSync("umount", [folder]);
  rmdirSync(folder);
  return isMounted;
}

function mount(folder: string, size: string): boolean {
  return spawnSync("mount", ["-t", "tmpfs", "-o", `mode=755,size=${size}`, "tmpfs", folder]).status === 0;
}
