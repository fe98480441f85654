import { spawnSync } from "node:child_process";
import { mkdtempSync, rmdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Why tests with a full disk are left out on this machine; nothing if they run. */
export const cannotFillDisk = canMount() ? undefined : "a small disk cannot be mounted here (needs root)";

/** A disk of that size (`1m`), gone after the test. */
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
