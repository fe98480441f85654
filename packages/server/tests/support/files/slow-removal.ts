import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** Until the test ends, `rm` waits for a word before it removes folders with this in their paths. */
export function slowRemoval(slow: string) {
  const place = mkdtempSync(join(tmpdir(), "slipway-removal-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  const programs = join(place, "bin");
  mkdirSync(programs);
  const [word, begun] = [join(place, "word"), join(place, "begun")];
  execFileSync("mkfifo", [word]);
  const wait = `case "$*" in *${slow}*) : > '${begun}'; read -r word < '${word}';; esac`;
  writeFileSync(join(programs, "rm"), `#!/bin/sh\n${wait}\nexec /bin/rm "$@"\n`, { mode: 0o755 });
  const path = process.env["PATH"];
  process.env["PATH"] = `${programs}:${path}`;
  onTestFinished(() => {
    process.env["PATH"] = path;
  });
  // Waits for no reader, so that a test that failed leaves none behind.
  const goOn = () => void spawnSync("sh", ["-c", `echo 1<> '${word}' >&1`]);
  onTestFinished(goOn);
  const filled = (name: string, files: number) => {
    const folder = join(place, name);
    mkdirSync(folder);
    for (let count = 0; count < files; count += 1) writeFileSync(join(folder, String(count)), "");
    return folder;
  };
  return {
    filled,
    begun,
    hasBegun: () => existsSync(begun),
    goOn: () => void spawnSync("sh", ["-c", `echo > '${word}'`]),
  };
}
