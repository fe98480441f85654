import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findUnnamedFiles } from "../../../src/platform/sandbox/unnamed-files.ts";

/** A program that says when it is ready, and stays. */
async function startProgram(source: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "slipway-unnamed-"));
  const child = spawn("python3", ["-c", `${source}\nprint("ready", flush=True)\ntime.sleep(1000)`], { cwd: folder });
  onTestFinished(() => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  await once(child.stdout, "data");
  return child.pid!;
}

test.skipIf(process.platform !== "linux")(
  "a run that holds very many files open does not hold up others",
  { tags: "long" },
  async () => {
    const pid = await startProgram(`import time
kept = [open("/dev/null") for _ in range(500)]`);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    // As a hundred children that have inherited them.
    const { onDisk } = await findUnnamedFiles(Array.from({ length: 100 }, () => pid));
    isDone = true;
    expect(onDisk).toEqual([]);
    expect(turns).toBeGreaterThan(10);
  },
);

test.skipIf(process.platform !== "linux")("a deleted folder in which a program is, is found", async () => {
  const pid = await startProgram(`import os, time
os.mkdir("d")
os.chdir("d")
os.rmdir("../d")`);
  expect((await findUnnamedFiles([pid])).onDisk).toEqual([`/proc/${pid}/cwd`]);
});

test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "a mapped file is found, however long the list of mappings is",
  { tags: "long" },
  async () => {
    // 600 MB of names.
    const pid = await startProgram(`import mmap, os, time
for _ in range(1200):
  os.mkdir("d" * 250)
  os.chdir("d" * 250)
fd = os.open("f", os.O_RDWR | os.O_CREAT)
os.truncate(fd, 4096)
os.unlink("f")
os.chdir("/")
kept = [mmap.mmap(fd, 4096) for _ in range(2000)]
# A mapping of Python's keeps a file open, too.
os.closerange(fd, 3000)`);
    const { onDisk } = await findUnnamedFiles([pid]);
    expect(onDisk.some((path) => path.startsWith(`/proc/${pid}/map_files/`))).toBe(true);
  },
);

test.skipIf(process.platform !== "linux" || process.getuid?.() !== 0)(
  "a mapped file is found, whatever its name holds",
  async () => {
    const pid = await startProgram(`import mmap, os, time
fd = os.open("a\\rb", os.O_RDWR | os.O_CREAT)
os.truncate(fd, 4096)
os.unlink("a\\rb")
kept = mmap.mmap(fd, 4096)
os.closerange(fd, 100)`);
    const { onDisk } = await findUnnamedFiles([pid]);
    expect(onDisk).toEqual([expect.stringMatching(`^/proc/${pid}/map_files/`)]);
  },
);
