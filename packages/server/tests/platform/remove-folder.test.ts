import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { removeFolder } from "../../src/platform/remove-folder.ts";

let folder: string;
let doomed: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "slipway-remove-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  doomed = join(folder, "doomed");
  mkdirSync(doomed);
});

const shapes: Readonly<Record<string, () => void>> = {
  "is empty": () => undefined,
  "is gone already": () => rmSync(doomed, { recursive: true }),
  "is a file": () => {
    rmSync(doomed, { recursive: true });
    writeFileSync(doomed, "");
  },
  "has files in folders": () => {
    mkdirSync(join(doomed, "a/b"), { recursive: true });
    for (const name of ["one", "a/two", "a/b/three"]) writeFileSync(join(doomed, name), name);
  },
  "is deep": () => mkdirSync(join(doomed, "d/".repeat(50)), { recursive: true }),
  "is wide": () => {
    for (let count = 0; count < 300; count += 1) writeFileSync(join(doomed, String(count)), "");
  },
  "has a name that is not UTF-8 and a pipe": () => {
    writeFileSync(Buffer.concat([Buffer.from(`${doomed}/`), Buffer.from([0xff, 0x61])]), "");
    execFileSync("mkfifo", [join(doomed, "pipe")]);
  },
  "is closed to its owner": () => {
    mkdirSync(join(doomed, "closed/inner"), { recursive: true });
    execFileSync("chmod", ["-R", "000", join(doomed, "closed")]);
  },
};

test.for(Object.entries(shapes))("a folder that %s is removed", async ([, make]) => {
  make();
  await removeFolder(doomed);
  expect(readdirSync(folder)).toEqual([]);
});

test("links are removed, and what they lead to stays", async () => {
  const outside = join(folder, "outside");
  mkdirSync(outside);
  writeFileSync(join(outside, "file"), "");
  symlinkSync(outside, join(doomed, "to-folder"));
  symlinkSync(join(outside, "file"), join(doomed, "to-file"));
  await removeFolder(doomed);
  expect(existsSync(join(outside, "file"))).toBe(true);

  symlinkSync(outside, doomed);
  await removeFolder(doomed);
  expect([existsSync(doomed), existsSync(join(outside, "file"))]).toEqual([false, true]);
});

// Whose programs still write there makes `rm` fail, and may have put a link where the folder was.
test.runIf(process.getuid?.() === 0)("root opens nothing to its owner: it needs no right to remove", async () => {
  const outside = join(folder, "outside");
  writeFileSync(outside, "", { mode: 0o000 });
  for (let count = 0; count < 300; count += 1) writeFileSync(join(doomed, String(count)), "");
  const programs = join(folder, "bin");
  mkdirSync(programs);
  const exchange = `rm() { /bin/rm "$@"; }; rm -rf '${doomed}'; ln -s '${outside}' '${doomed}'; exit 1`;
  writeFileSync(join(programs, "rm"), `#!/bin/sh\n${exchange}\n`, { mode: 0o755 });
  const path = process.env["PATH"];
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  process.env["PATH"] = `${programs}:${path}`;
  await expect(removeFolder(doomed)).rejects.toThrow("rm");
  expect(statSync(outside).mode & 0o777).toBe(0);
});
