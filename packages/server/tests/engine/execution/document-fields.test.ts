import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LogPage, Project } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { checkOverrides, writeOverrides } from "../../../src/verification/scripts/dependency-overrides.ts";
import { startScriptedModel } from "../../support/agents/scripted-model.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const model = await startScriptedModel(({ body }) =>
  body.messages.at(-1).role === "tool"
    ? undefined
    : { calls: [{ name: "write", input: { path: "package.json", content: '{"name":"made"}\n' } }] },
);
afterAll(() => model.close());

const shell = (capability: string, line: string) => ({
  name: capability,
  kind: "command",
  command: "sh",
  args: ["-c", line],
  capabilities: [capability],
});

const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: "slipway.yaml",
    declared: [
      { name: "model", kind: "llm", url: model.baseUrl, model: "tiny", capabilities: ["thinks"] },
      shell("caches", 'echo here >> "$npm_config_cache-seen"; echo made > made-$$.txt'),
      shell("gives-up", "echo half > half.txt; echo I cannot; exit 1"),
    ],
  },
});

/** Runs a document; JSON is YAML too. */
async function run(capability: string, more: object = {}): Promise<Project> {
  const document = {
    spec_version: "1.0.0",
    id: `${capability}-${JSON.stringify(more).length}`,
    name: capability,
    description: "Work for an agent of the operator's.",
    outcome_type: "library",
    stack: {},
    acceptance: {},
    requirements: { agents: { implementer: { capabilities: [capability] } } },
    ...more,
  };
  return untilEnded(app, await submit(app, JSON.stringify(document)));
}

/** The lines, once there are any: they are written down a moment later. */
function linesOf(project: Project, query = ""): Promise<string[]> {
  return until(async () => {
    const lines = await readLines(project, query);
    return lines.length > 0 && lines;
  });
}

async function readLines({ project_id }: Project, query = ""): Promise<string[]> {
  const page = (await app.call({ url: `/api/v1/projects/${project_id}/logs?tail=10000${query}` })).json<LogPage>();
  return page.lines.map(({ text }) => text);
}

describe("debug", () => {
  test("says how much of what agents do is logged", { tags: "long" }, async () => {
    const silent = await run("thinks", { debug: { level: "off" }, scripts: { test: "echo tested" } });
    const usual = await linesOf(await run("thinks"));
    expect(usual.some((line) => line.startsWith("→ "))).toBe(false);
    const asked = await linesOf(await run("thinks", { debug: { log_agent_actions: true } }));
    expect(asked).toContainEqual(expect.stringMatching(/^→ write package\.json/));
    const verbose = await linesOf(await run("thinks", { debug: { level: "verbose" } }));
    expect(verbose).toContainEqual(expect.stringMatching(/^→ write package\.json/));
    // What was said before is written down before.
    expect(await readLines(silent)).toEqual([]);
  });

  test("has calls to a model logged: where to and what came of it", async () => {
    const lines = await linesOf(await run("thinks", { debug: { log_api_calls: true } }));
    const host = new URL(model.baseUrl).host;
    expect(lines).toContainEqual(
      expect.stringMatching(new RegExp(`^call POST http://${host}/\\S+ → 200 \\(\\d+ ms\\)$`)),
    );
  });

  test("keeps what failed attempts have made, where it is asked for", async () => {
    const { project_id } = await run("gives-up", { debug: { save_intermediate_files: true } });
    const { artifacts } = (await app.call({ url: `/api/v1/projects/${project_id}/artifacts` })).json<{
      artifacts: { type: string; path: string }[];
    }>();
    const patches = artifacts.filter(({ type }) => type === "intermediate_files").map(({ path }) => path);
    expect(patches).toEqual([1, 2, 3].map((number) => `intermediate/build-gives-up/attempt-${number}.patch`));
  });
});

describe("performance.cache_dependencies", () => {
  const verifies = (test: string) => ({ scripts: { test } });

  test("gives all programs of a project one cache of packages", async () => {
    const { status, error } = await run("caches", verifies('cat "$npm_config_cache-seen"'));
    expect({ status, error }).toEqual({ status: "deployed", error: null });
  });

  test("can be left out", { tags: "long" }, async () => {
    const without = { ...verifies('test -z "$npm_config_cache"'), performance: { cache_dependencies: false } };
    expect((await run("caches", without)).status).toBe("deployed");
  });
});

describe("scripts", () => {
  test("write into the project's log as they run, each under its name, without secrets", async () => {
    const key = `sk-${"a1B2".repeat(8)}`;
    const scripts = { build: "echo building", test: `echo testing with ${key}` };
    const project = await run("thinks", { scripts });
    const written = (source: string) => readLines(project, `&service=${source}`);
    const once = ["$ echo building", "building"];
    // For the checks, and for the release.
    await expect.poll(() => written("build")).toEqual([...once, ...once]);
    await expect.poll(() => written("test")).toEqual(["$ echo testing with ********", "testing with ********"]);
  });
});

describe("dependency_overrides", () => {
  test("are in the package.json of the result", async () => {
    const check = `grep -q '"left-pad": "1.3.0"' package.json`;
    const { status } = await run("thinks", {
      dependency_overrides: { "left-pad": "1.3.0" },
      scripts: { test: check },
    });
    expect(status).toBe("deployed");
  });

  const overrides = { "left-pad": "1.3.0", "@scope/range": "^2.0.0" };

  test.each([
    ["package-lock.json", "{}", { overrides }],
    ["yarn.lock", "", { resolutions: overrides }],
    ["pnpm-lock.yaml", "", { pnpm: { overrides } }],
  ])("are written where the package manager of %s reads them", async (lock, content, expected) => {
    const folder = await folderWith({ "package.json": '{"name":"made"}', [lock]: content });
    await writeOverrides(folder, overrides);
    expect(JSON.parse(await readFile(join(folder, "package.json"), "utf8"))).toEqual({ name: "made", ...expected });
    expect(await checkOverrides(folder, overrides)).toBeUndefined();
  });

  test("are missed when package.json has lost one, or the lock file has another version", async () => {
    const manifest = JSON.stringify({ overrides: { "left-pad": "1.2.0" } });
    expect((await checkOverrides(await folderWith({ "package.json": manifest }), overrides))?.message).toBe(
      "dependency_overrides asks for left-pad 1.3.0, but package.json does not say so.",
    );
    const lock = { packages: { "node_modules/a/node_modules/left-pad": { version: "1.1.0" } } };
    const folder = await folderWith({
      "package.json": JSON.stringify({ overrides }),
      "package-lock.json": JSON.stringify(lock),
    });
    expect((await checkOverrides(folder, overrides))?.message).toBe(
      "dependency_overrides asks for left-pad 1.3.0, but package-lock.json has 1.1.0.",
    );
  });

  test("ask nothing of a project that has no package.json", async () => {
    const folder = await folderWith({});
    await writeOverrides(folder, overrides);
    expect(await checkOverrides(folder, overrides)).toBeUndefined();
  });
});

const folders: string[] = [];
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function folderWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "slipway-overrides-"));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}
