import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reportDone, takeBreakdown } from "../../../src/agents/drivers/take-breakdown.ts";
import { newFolder, workIn } from "../../support/agents/plain-host.ts";

/** A folder in which a planner may have written. */
async function planned(): Promise<{ folder: string; path: string }> {
  const folder = await newFolder();
  await mkdir(join(folder, ".slipway"));
  return { folder, path: join(folder, ".slipway", "tasks.yaml") };
}

test.for(["tasks: []\n", "", "# é\n".repeat(100_000)])(
  "a breakdown is read as it stands, and taken away",
  async (text) => {
    const { folder, path } = await planned();
    await writeFile(path, text);
    expect(await takeBreakdown(folder)).toBe(text);
    expect(await readdir(folder)).toEqual([]);
    expect(await takeBreakdown(folder)).toBeUndefined();
  },
);

test("only a planner's file is one", async () => {
  const { folder, path } = await planned();
  await writeFile(path, "mine");
  expect(await reportDone(workIn(folder))).toEqual({ is: "done" });
  expect(await readFile(path, "utf8")).toBe("mine");
  expect(await reportDone(workIn(folder, { role: "planner" }))).toEqual({ is: "done", breakdown: "mine" });
});

test("a project's own tasks.yaml is none", async () => {
  const { folder } = await planned();
  await writeFile(join(folder, "tasks.yaml"), "the project's");
  expect(await takeBreakdown(folder)).toBeUndefined();
  expect(await readFile(join(folder, "tasks.yaml"), "utf8")).toBe("the project's");
});

test("what else a planner has put beside it stays", async () => {
  const { folder, path } = await planned();
  await writeFile(path, "tasks: []");
  await writeFile(join(folder, ".slipway", "notes.md"), "notes");
  expect(await takeBreakdown(folder)).toBe("tasks: []");
  expect(await readdir(join(folder, ".slipway"))).toEqual(["notes.md"]);
});

test("a link or a pipe by that name is not read, nor is what lies behind a link", async () => {
  const [one, other] = [await planned(), await planned()];
  const [folder, outside] = [await newFolder(), await newFolder()];
  await writeFile(join(outside, "tasks.yaml"), "secret");
  await symlink(join(outside, "tasks.yaml"), one.path);
  expect(await takeBreakdown(one.folder)).toBeUndefined();
  execFileSync("mkfifo", [other.path]);
  expect(await takeBreakdown(other.folder)).toBeUndefined();
  await symlink(outside, join(folder, ".slipway"));
  expect(await takeBreakdown(folder)).toBeUndefined();
  expect(await readdir(outside)).toEqual(["tasks.yaml"]);
});
