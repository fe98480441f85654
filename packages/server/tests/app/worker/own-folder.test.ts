import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeOwnFolder } from "../../../src/app/worker/own-folder.ts";

const isRoot = process.getuid?.() === 0;
const stranger = 1;

function newPlace(): string {
  const place = mkdtempSync(join(tmpdir(), "slipway-worker-place-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return join(place, "workers");
}

/** A process that was there and is gone. */
function deadPid(): number {
  return Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
}

describe("the folder of workers", () => {
  test("is made, and is for its user alone", async () => {
    const place = newPlace();
    const { path: own } = await makeOwnFolder(place, "none");
    expect(dirname(own)).toBe(place);
    expect(lstatSync(place).mode & 0o777).toBe(0o700);
    expect(lstatSync(own).mode & 0o777).toBe(0o700);
  });

  test.each<[string, (place: string) => void]>([
    ["that others may write to", (place) => chmodSync(place, 0o777)],
    [
      "that is a link",
      (place) => {
        mkdirSync(`${place}-elsewhere`);
        rmSync(place, { recursive: true });
        symlinkSync(`${place}-elsewhere`, place);
      },
    ],
    ...(isRoot ? [["of somebody else", (place: string) => chownSync(place, stranger, stranger)] as const] : []),
  ] as [string, (place: string) => void][])("%s is refused, and nothing in it is touched", async (_, spoil) => {
    const place = newPlace();
    mkdirSync(place);
    spoil(place);
    const left = join(place, `worker-${deadPid()}-1-abc123`);
    mkdirSync(left);
    await expect(makeOwnFolder(place, "none")).rejects.toThrow("name another by --folder");
    expect(existsSync(left)).toBe(true);
  });

  test("of a dead worker goes, though ours has the same number now", async () => {
    const place = newPlace();
    const left = join(place, `worker-${process.pid}-1-abc123`);
    mkdirSync(left, { recursive: true, mode: 0o700 });
    chmodSync(place, 0o700);
    const { path: own, removal } = await makeOwnFolder(place, "none");
    await removal;
    expect([existsSync(left), existsSync(own)]).toEqual([false, true]);
    await (await makeOwnFolder(place, "none")).removal;
    expect(existsSync(own)).toBe(true);
  });

  test("may be one in which nobody can rename what is another's; what dead workers of ours left there goes", async () => {
    const place = newPlace();
    mkdirSync(place);
    chmodSync(place, 0o1777);
    const [ours, link, theirs] = ["aaa111", "bbb222", "ccc333"].map((end) =>
      join(place, `worker-${deadPid()}-1-${end}`),
    );
    mkdirSync(ours!);
    mkdirSync(theirs!);
    symlinkSync(theirs!, link!);
    if (isRoot) chownSync(theirs!, stranger, stranger);
    await (await makeOwnFolder(place, "none")).removal;
    expect(existsSync(ours!)).toBe(false);
    expect(lstatSync(link!).isSymbolicLink()).toBe(true);
    expect(existsSync(theirs!)).toBe(isRoot);
  });
});
