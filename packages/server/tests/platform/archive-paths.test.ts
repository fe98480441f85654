import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { unpackFolder } from "../../src/platform/archive/index.ts";
import { writeHeaders } from "../../src/platform/archive/pax-header.ts";
import { requireInside } from "../../src/platform/archive/require-inside.ts";
import { blockBytes, kinds } from "../../src/platform/archive/tar-header.ts";

async function* archiveOf(path: string): AsyncGenerator<Uint8Array> {
  yield* writeHeaders({ path, mode: 0o755, size: 0, kind: kinds.file, target: "" });
  yield Buffer.alloc(2 * blockBytes);
}

// Whoever unpacks files may have their own repository in that folder, which has hooks.
test.each([
  ".git",
  "d/.GIT",
  "git~1",
  "Git~1",
  ".git ",
  ".git...",
  ".git::$INDEX_ALLOCATION",
  ".g\u200cit",
  "\ufeff.git",
])("an archive with a path below '%s', which some system takes for git's own, is refused", async (name) => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-tar-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = `${name}/hooks/pre-commit`;
  await expect(unpackFolder(archiveOf(path), folder)).rejects.toThrow("is not a path inside the folder");
  expect(readdirSync(folder)).toEqual([]);
  // What a deployed program keeps comes back as it was.
  expect(await unpackFolder(archiveOf(path), folder, { hasRepositories: true })).toBe(1);
});

test.each(["..\\..\\x", "a\\..\\..\\x", "\\x", "\\\\host\\x", "C:\\x", "c:x", "a\\.git\\config"])(
  "the path '%s' leaves the folder on Windows, and is a name elsewhere",
  (path) => {
    const at = (platform: NodeJS.Platform) => () => requireInside(path, { hasRepositories: false, platform });
    expect(at("win32")).toThrow("is not a path inside the folder");
    expect(at("linux")).not.toThrow();
  },
);
