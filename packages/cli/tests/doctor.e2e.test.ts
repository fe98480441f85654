import { chmod, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { unsetEnv as env, folderWith, slipwayProcess } from "./run-slipway.ts";

interface Report {
  readonly is_well: boolean;
  readonly checks: { name: string; status: string; message: string; remedy: string | null }[];
}

test("slipway doctor looks at all that is needed, changes nothing, and is content", async () => {
  const cwd = await folderWith({
    "slipway.yaml": "agents: [{ name: our script, kind: command, command: ./build-it.sh, capabilities: [api] }]",
    "build-it.sh": "#!/bin/sh\n",
  });
  await chmod(join(cwd, "build-it.sh"), 0o755);
  const { code, out } = await slipwayProcess(["doctor", "--json"], { cwd, env });
  const { is_well, checks } = JSON.parse(out) as Report;
  expect([code, is_well]).toEqual([0, true]);
  expect(checks.map(({ name }) => name)).toEqual([
    "node",
    "git",
    "settings",
    "data folder",
    "database",
    "sandbox",
    "browser",
    "containers",
    "agent 'our script'",
  ]);
  expect(checks.find(({ name }) => name === "database")?.message).toMatch(/^embedded: postgres \(PostgreSQL\) \d+/);
  // Whether there is an engine or not: nobody has asked for one.
  expect(checks.find(({ name }) => name === "containers")?.status).not.toBe("failed");
  expect(checks.at(-1)).toMatchObject({ status: "ok", message: "can be used" });
  expect((await readdir(cwd)).toSorted()).toEqual(["build-it.sh", "slipway.yaml"]);
  const shown = await slipwayProcess(["doctor"], { cwd, env });
  expect(shown.out).toMatch(/^✓ node: Node 24\..*\n✓ git: git .*\n✓ settings: slipway.yaml is read\n/);
});

test("it ends with 1 where something is broken, and says what to do", async () => {
  const cwd = await folderWith({
    "slipway.yaml": `
container_engine: no-such-engine
agents:
  - { name: codex, kind: command, profile: codex, command: no-such-codex, capabilities: [api] }
  - { name: our script, kind: command, command: ./build-it.sh, capabilities: [api] }
  - { name: model, kind: llm, url: "http://127.0.0.1:9/v1", model: tiny, capabilities: [api] }
`,
  });
  await mkdir(join(cwd, ".slipway"));
  await writeFile(join(cwd, ".slipway/restoring"), "/backups/monday");
  const url = "postgres://nobody:hidden@127.0.0.1:9/none";
  const { code, out } = await slipwayProcess(["doctor"], { cwd, env: { ...env, SLIPWAY_DATABASE_URL: url } });
  expect(code).toBe(1);
  expect(out).toMatch(/^✗ data folder: a restore of \/backups\/monday into \S+ is under way, or did not end$/m);
  expect(out).toContain("✗ database: the Postgres of database_url cannot be used: ");
  expect(out).toContain("  → Check the address, and that it runs.\n");
  expect(out).toContain("✗ containers: No container engine works here: 'no-such-engine' is not installed.");
  expect(out).toContain("✗ agent 'codex': cannot be used: The program 'no-such-codex' is not installed");
  expect(out).toMatch(/✗ agent 'our script': cannot be used: The program '\S+\/build-it\.sh' is not installed/);
  expect(out).toContain("✗ agent 'model': cannot be used: The model's endpoint cannot be reached");
  expect(out).not.toContain("hidden");
});

test("settings that cannot be used are told, and the machine is looked at all the same", { tags: "long" }, async () => {
  const cwd = await folderWith({ "slipway.yaml": "prot: 1" });
  const { code, out } = await slipwayProcess(["doctor"], { cwd, env });
  expect(code).toBe(1);
  expect(out).toContain("✓ git: ");
  expect(out).toContain("✗ settings: slipway.yaml: there is no setting 'prot'");
  const agents = await folderWith({ "slipway.yaml": "agents: [{ name: x, kind: nothing }]" });
  const told = await slipwayProcess(["doctor"], { cwd: agents, env: { ...env, SLIPWAY_SANDBOX: "none" } });
  expect(told.out).toContain("! sandbox: the operator has set sandbox: none");
  expect(told.out).toMatch(/✗ agents: .*kind/);
});
