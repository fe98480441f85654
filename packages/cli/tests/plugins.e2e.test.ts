import { join } from "node:path";
import { expect, test } from "vitest";
import { unsetEnv as env, folderWith, root, slipwayProcess } from "./run-slipway.ts";

const platform = join(root, "examples/plugins/platform");

test("a plugin is added, allowed by the line that was told, listed, and builds its example", {
  tags: "long",
}, async () => {
  const cwd = await folderWith({ "slipway.yaml": "plugins:\n  - name: slipway-plugin-platform\n" });
  const before = await slipwayProcess(["doctor"], { cwd, env });
  expect(before.out).toContain("✗ plugin 'slipway-plugin-platform': cannot be used: ");
  const added = await slipwayProcess(["plugins", "add", platform, "--json"], { cwd, env });
  expect(JSON.parse(added.out)).toMatchObject({ line: "- name: slipway-plugin-platform", outcome_types: ["platform"] });
  const { plugins } = JSON.parse((await slipwayProcess(["plugins", "list", "--json"], { cwd, env })).out) as {
    plugins: object[];
  };
  expect(plugins).toEqual([
    { name: "slipway-plugin-platform", version: "1.0.0", outcome_types: ["platform"], is_allowed: true, reason: null },
  ]);
  const run = await slipwayProcess(["run", join(platform, "example.yaml"), "--exit-when-done"], { cwd, env });
  expect(run.out).toContain("✔ Groundwork is deployed");
});

test("a call that is wrong is told how it is right", async () => {
  expect(await slipwayProcess(["plugins"], { env })).toMatchObject({ code: 2 });
  expect((await slipwayProcess(["plugins", "add"], { env })).err).toContain(
    "slipway plugins add <folder, tarball or package>",
  );
  expect((await slipwayProcess(["plugins", "--help"], { env })).out).toContain("Usage: slipway plugins add");
});
