// @module-tag soak
import { execFileSync } from "node:child_process";
import { access, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { FunctionWork } from "../../../src/agents/index.ts";
import { untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";

// Without a sandbox, and with the data folder inside of somebody's own project.
const { app, play } = await createStage({ minuteMs: 60_000 });
const mark = join(app.dataFolder, "climbed");
const mine = { name: "mine", scripts: { test: `touch ${mark}`, start: `touch ${mark}`, deploy: `touch ${mark}` } };
await writeFile(join(app.dataFolder, "package.json"), JSON.stringify(mine));
execFileSync("git", ["init", "--quiet", app.dataFolder]);

const isMarked = () =>
  access(mark).then(
    () => true,
    () => false,
  );

describe("a script that is not the result's own does not run", () => {
  test.for(
    soakCases([
      ["test", "npm test", "scripts.test runs npm, but the result has no package.json."],
      ["test", "CI=1 npm run test", "scripts.test runs npm, but the result has no package.json."],
      ["test", "sh -c 'npm test'", expect.stringContaining("scripts.test ended with exit code")],
      ["build", "true && npm test", expect.stringContaining("scripts.build ended with exit code")],
      ["test", "cargo test", "scripts.test runs cargo, but the result has no Cargo.toml."],
      ["deploy", "npm run deploy", "scripts.deploy runs npm, but the result has no package.json."],
      ["start", "npm start", "scripts.start runs npm, but the result has no package.json."],
      ["start", "exec npm start", expect.stringContaining("scripts.start ended with exit code")],
      ["test", "git rev-parse --show-toplevel", expect.stringContaining("not a git repository")],
    ] as const),
  )("%s: %s", async ([name, command, message]) => {
    const id = await play({ scripts: { [name]: command } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { message } });
    expect(await isMarked()).toBe(false);
  });
});

test("one that is its own does", { tags: "long" }, async () => {
  const id = await play(
    { scripts: { build: "cd sub && npm run made", test: "npm test" } },
    async ({ task, folder }) => {
      if (task.role !== "implementer") return undefined;
      execFileSync("mkdir", [join(folder, "sub")]);
      await writeFile(join(folder, "sub/package.json"), `{"scripts":{"made":"touch made"}}`);
      await writeFile(join(folder, "package.json"), `{"scripts":{"test":"test -f sub/made"}}`);
      return { is: "done" };
    },
  );
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
});

test("a result without any file is not deployed", async () => {
  const phases = { first: { features: ["make"] }, second: { features: ["remove"], depends_on: ["first"] } };
  const id = await play({ phases }, async ({ task, folder }: FunctionWork) => {
    if (task.id === "remove") {
      await rm(join(folder, "make.txt"));
      return { is: "done" };
    }
    return undefined;
  });
  expect(await untilEnded(app, id)).toMatchObject({
    status: "failed",
    current_phase: "validation",
    error: { code: "empty_result", message: "The result has no files: there is nothing to verify or to deploy." },
  });
});
