// @module-tag long
import { appendFile, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startService, usedDataFolder } from "../../server/tests/support/run-service.ts";
import { folderWith, slipway, unsetEnv } from "./run-slipway.ts";

const documentOf = (name: string) => `spec_version: "1.0.0"
id: notes
name: ${name}
description: Keeps notes.
outcome_type: library
stack: {}
scripts: { build: "true", test: "true" }
acceptance: {}
`;

test("a person's changes survive a changed document, and a conflict is resolved with the commands that it is told with", async () => {
  const cwd = await folderWith({ "notes.yaml": documentOf("Notes"), "better.yaml": documentOf("Better notes") });
  const service = await startService(await usedDataFolder());
  const env = { ...unsetEnv, SLIPWAY_URL: service.address, SLIPWAY_TOKEN: service.adminToken };
  const call = (...args: string[]) => slipway(args, { cwd, env });
  const lastProject = async () =>
    (JSON.parse((await call("projects", "list", "--json")).out) as { projects: { project_id: string }[] }).projects[0]!
      .project_id;
  const readme = (folder: string) => join(cwd, folder, "README.md");

  expect(await call("run", "notes.yaml", "--source", "mine")).toMatchObject({
    code: 3,
    err: expect.stringContaining("run it once without --source"),
  });
  expect((await call("run", "notes.yaml")).code).toBe(0);
  const first = await lastProject();

  const got = await call("source", "get", first, "mine", "--json");
  expect(JSON.parse(got.out)).toMatchObject({ project_id: first, folder: "mine", files: expect.any(Number) });
  expect(await call("source", "get", first, "mine")).toMatchObject({
    code: 2,
    err: expect.stringContaining("not empty"),
  });
  await writeFile(readme("mine"), (await readFile(readme("mine"), "utf8")).replace("# Notes", "# My notes"));
  await mkdir(join(cwd, "mine/node_modules/big"), { recursive: true });
  await writeFile(join(cwd, "mine/node_modules/big/index.js"), "");
  await appendFile(join(cwd, "mine/own.txt"), "own\n");
  const put = await call("source", "put", first, "mine");
  expect(put).toMatchObject({ code: 0, out: expect.stringMatching(/^Uploaded \d+ files \(.* kB\)/) });

  const failed = await call("run", "better.yaml");
  expect(failed.code).toBe(1);
  const [, second = ""] = /slipway source get (\S+) DIR/.exec(failed.out) ?? [];
  expect((await call("source", "get", second, "marked")).code).toBe(0);
  expect(await readdir(join(cwd, "marked"))).not.toContain("node_modules");
  expect(await call("source", "put", second, "marked")).toMatchObject({
    code: 3,
    err: expect.stringContaining("Conflicts are still marked in README.md"),
  });
  const marked = await readFile(readme("marked"), "utf8");
  expect(marked).toContain("<<<<<<< yours\n# My notes\n=======\n# Better notes\n>>>>>>> regenerated\n");
  await writeFile(readme("marked"), marked.replace(/<{7}[\s\S]*>{7} \w+/, "# My better notes"));

  expect((await call("run", "better.yaml", "--source", "marked")).code).toBe(0);
  expect((await call("source", "get", await lastProject(), "after")).code).toBe(0);
  expect(await readFile(readme("after"), "utf8")).toMatch(/^# My better notes\n/);
  expect(await readFile(join(cwd, "after/own.txt"), "utf8")).toBe("own\n");
});
