import { execFileSync } from "node:child_process";
import { readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { reportDone, takeBreakdown } from "../../src/agents/take-breakdown.ts";
import { newFolder, workIn } from "./plain-host.ts";

test.for(["tasks: []\n", "", "# é\n".repeat(100_000)])(
  "a breakdown is read as it stands, and taken away",
  async (text) => {
    const folder = await newFolder();
    await writeFile(join(folder, "tasks.yaml"), text);
    expect(await takeBreakdown(folder)).toBe(text);
    expect(await readdir(folder)).toEqual([]);
    expect(await takeBreakdown(folder)).toBeUndefined();
  },
);

test("only a planner's file is one", async () => {
  const folder = await newFolder();
  await writeFile(join(folder, "tasks.yaml"), "mine");
  expect(await reportDone(workIn(folder))).toEqual({ is: "done" });
  expect(await readFile(join(folder, "tasks.yaml"), "utf8")).toBe("mine");
  expect(await reportDone(workIn(folder, { role: "planner" }))).toEqual({ is: "done", breakdown: "mine" });
});

test("a link or a pipe by that name is not read", async () => {
  const [folder, other, outside] = [await newFolder(), await newFolder(), await newFolder()];
  await writeFile(join(outside, "secret"), "secret");
  await symlink(join(outside, "secret"), join(folder, "tasks.yaml"));
  expect(await takeBreakdown(folder)).toBeUndefined();
  execFileSync("mkfifo", [join(other, "tasks.yaml")]);
  expect(await takeBreakdown(other)).toBeUndefined();
});
