import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { holdsSecret, linkSealed, sealFiles, unsealFiles } from "../../src/deployment/sealed-files.ts";

const never = new AbortController().signal;

async function stage() {
  const place = await mkdtemp(join(tmpdir(), "slipway-sealed-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const folder = join(place, "release");
  await mkdir(folder);
  const put = (text: string) => writeFile(join(folder, "a.txt"), text);
  await put("first");
  return { place, folder, put, sealed: join(place, "staging/sealed"), twin: join(place, "production/sealed") };
}

test("files that are sealed again leave those alone that went to another environment", async () => {
  const { place, folder, put, sealed, twin } = await stage();
  const digest = await sealFiles(folder, sealed, never);
  expect(await linkSealed(sealed, twin)).toBe(true);
  await put("a second version, which is longer");
  expect(await sealFiles(folder, sealed, never)).not.toBe(digest);
  const copy = join(place, "copy");
  expect(await unsealFiles(twin, { digest, folder: copy, signal: never })).toBeUndefined();
  expect(await readFile(join(copy, "a.txt"), "utf8")).toBe("first");
  expect((await stat(sealed)).mode & 0o777).toBe(0o600);
});

test("a seal that is cut off leaves what was there, and nothing else", async () => {
  const { folder, put, place, sealed } = await stage();
  const before = await sealFiles(folder, sealed, never);
  await put("second");
  await expect(sealFiles(folder, sealed, AbortSignal.abort(new Error("stopped")))).rejects.toThrow();
  expect(await unsealFiles(sealed, { digest: before, folder: join(place, "copy"), signal: never })).toBeUndefined();
  expect(await readdir(join(place, "staging"))).toEqual(["sealed"]);
});

test("what a seal that was killed has left does not stop the next one", async () => {
  const { folder, sealed, place } = await stage();
  await mkdir(join(place, "staging"));
  await writeFile(`${sealed}.new`, "half of it");
  const digest = await sealFiles(folder, sealed, never);
  expect(await unsealFiles(sealed, { digest, folder: join(place, "copy"), signal: never })).toBeUndefined();
  expect(await readdir(join(place, "staging"))).toEqual(["sealed"]);
});

test.skipIf(process.platform === "win32")("nobody waits for a pipe in the place of sealed files", async () => {
  const { place } = await stage();
  const pipe = join(place, "pipe");
  execFileSync("mkfifo", [pipe]);
  const unsealed = unsealFiles(pipe, { digest: "", folder: join(place, "copy"), signal: never });
  await expect(unsealed).rejects.toMatchObject({ code: "not_a_file" });
  await expect(holdsSecret(pipe, ["a secret of theirs"])).rejects.toMatchObject({ code: "not_a_file" });
});
