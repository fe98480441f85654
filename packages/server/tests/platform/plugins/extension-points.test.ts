import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";
import { fleetDocument, pluginSource, writePackage } from "../../support/write-plugin.ts";

const place = await mkdtemp(join(tmpdir(), "slipway-plugin-parts-"));
afterAll(() => rm(place, { recursive: true, force: true }));
process.env["FLEET_TEST_KEY"] = "key-of-the-fleet";
afterAll(() => delete process.env["FLEET_TEST_KEY"]);

const fleet = pluginSource("fleet", {
  type: `
    async checks(workspace) {
      const ships = Number(await workspace.read("ships.txt"));
      return [{ title: "there are fewer than ten ships", is_met: ships < 10, reason: "there are " + ships }];
    },`,
  plan: "return { scripts: {}, unmet: [] };",
  build: `
    await workspace.write("ships.txt", workspace.document.ships + "\\n");
    await workspace.write("charts/north.map", "N\\n");
    await workspace.write("charts/deep/south.map", "S\\n");
    await workspace.write("tasks.yaml", "mine\\n");
    await workspace.write("verification/report.yaml", "mine\\n");`,
  rest: `
  acceptance_checks: [
    { name: "crew", async check(value, workspace) {
      if (value === "mutiny") throw new Error("The crew is gone.");
      const ships = Number(await workspace.read("ships.txt"));
      return { title: "a crew of " + value + " for each of " + ships, is_met: value >= ships, reason: "too few" };
    } },
    { name: "silence", check: () => "yes" },
  ],
  artifact_types: [
    { name: "sea_map", paths: ["charts/**/*.map"] },
    { name: "north", paths: ["charts/north.*"] },
    { name: "own_yaml", paths: ["**/*.yaml"] },
  ],
  secret_providers: [
    { name: "harbour", read(secret, config) {
      if (config?.storm) throw new Error("The harbour is closed to " + process.env.FLEET_TEST_KEY + ".");
      return secret === "ANCHOR" ? process.env.FLEET_TEST_KEY + "/" + (process.env.HOME_PORT ?? "none") : undefined;
    } },
  ],
  agent_drivers: [
    { name: "sailor", async start(task, workspace) {
      if (workspace.document.ships === 5) throw new Error("Seasick of " + process.env.FLEET_TEST_KEY + ".");
      await workspace.write("ships.txt", "1\\n");
      await workspace.write(task.id + ".log", task.role + " with " + process.env.FLEET_TEST_KEY.length + "\\n");
    } },
  ],`,
});
const declared = [
  {
    name: "fleet",
    path: await writePackage(join(place, "fleet"), "fleet", fleet),
    env: ["FLEET_TEST_KEY"],
    secrets: ["ANCHOR", "SAIL"],
  },
];
const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  sandbox: "auto",
  plugins: { declared, file: "slipway.yaml" },
  agents: {
    declared: ["sailor", "ghost"].map((driver) => ({
      name: driver,
      kind: "plugin",
      plugin: "fleet",
      driver,
      env: ["FLEET_TEST_KEY"],
      capabilities: [`${driver}-work`],
    })),
    file: "slipway.yaml",
  },
});

const run = async (document: string) => {
  const id = await submit(app, document);
  return { id, ...(await untilEnded(app, id)) };
};
const accepting = (acceptance: string) => fleetDocument.replace("acceptance: {}", `acceptance: ${acceptance}`);
/** One of which all is well; several tests look at it. */
const manned = await run(accepting("{ crew: 5 }"));

describe("what a plugin says of a result", () => {
  test("counts: its type's own checks", { tags: "long" }, async () => {
    expect(manned).toMatchObject({ status: "deployed", error: null });
    const { status, error } = await run(fleetDocument.replace("ships: 3", "ships: 12"));
    expect(status).toBe("failed");
    expect(error).toMatchObject({
      code: "check_failed",
      message: "The result is not as it must be. Not met: there are fewer than ten ships (there are 12).",
    });
  });

  test("counts: its checks for keys of acceptance, at the end of the work and of phases", {
    tags: "long",
  }, async () => {
    expect(manned).toMatchObject({ status: "deployed" });
    expect(await run(accepting("{ crew: 2 }"))).toMatchObject({
      status: "failed",
      error: { code: "check_failed", message: expect.stringContaining("a crew of 2 for each of 3 (too few)") },
    });
    const phased = `${fleetDocument}phases:\n  outfit:\n    features: [Masts]\n    acceptance: { crew: 1 }\n`;
    expect(await run(phased)).toMatchObject({ status: "failed", error: { code: "check_failed", phase: "outfit" } });
  });

  test("is the plugin's failure where it throws, or answers what is no verdict", { tags: "long" }, async () => {
    expect(await run(accepting("{ crew: mutiny }"))).toMatchObject({
      error: { code: "plugin_failed", message: "The plugin 'fleet' failed. It failed: Error: The crew is gone." },
    });
    expect(await run(accepting("{ silence: true }"))).toMatchObject({
      error: { code: "plugin_failed", message: expect.stringContaining("Its verdicts cannot be used") },
    });
  });

  test("is known to a dry run", async () => {
    const answer = await app.call({
      method: "POST",
      url: "/api/v1/projects?dry_run=true",
      headers: { "content-type": "application/yaml" },
      payload: accepting("{ crew: 5, users_love_it: true }"),
    });
    const { acceptance } = answer.json<{ acceptance: { pointer: string; can_be_verified: boolean }[] }>();
    expect(acceptance).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ pointer: "/acceptance/crew", can_be_verified: true }),
        expect.objectContaining({ pointer: "/acceptance/users_love_it", can_be_verified: false }),
      ]),
    );
  });
});

test("files of a kind that a plugin knows become artifacts", async () => {
  const answer = await app.call({ url: `/api/v1/projects/${manned.id}/artifacts` });
  const { artifacts } = answer.json<{ artifacts: { type: string; path: string; size_bytes: number }[] }>();
  const ofType = (type: string) => artifacts.filter((artifact) => artifact.type === type);
  expect(ofType("sea_map")).toMatchObject([
    { path: "charts/deep/south.map", size_bytes: 2 },
    { path: "charts/north.map", size_bytes: 2 },
  ]);
  // A path is one artifact's: of another kind, or where we store our own, it is another path.
  expect(ofType("north").map(({ path }) => path)).toEqual(["by-type/north/charts/north.map"]);
  const own = ["tasks.yaml", "verification/report.yaml"].map((path) => `by-type/own_yaml/${path}`);
  expect(ofType("own_yaml").map(({ path }) => path)).toEqual(own);
  expect(ofType("task_breakdown").map(({ path }) => path)).toEqual(["tasks.yaml"]);
});

describe("a secret provider of a plugin", () => {
  const keeping = (secrets: string) =>
    `${fleetDocument}secrets: ${secrets}\nscripts: { test: 'test "$ANCHOR" = "key-of-the-fleet/none"' }\n`;

  test("serves the secrets that the operator lists, with the variables that the operator gives it", async () => {
    expect(await run(keeping("{ provider: harbour, required: [ANCHOR] }"))).toMatchObject({ status: "deployed" });
  });

  test("says what is missing, or that it cannot be reached", { tags: "long" }, async () => {
    expect(await run(keeping("{ provider: harbour, required: [ANCHOR, SAIL, OTHER] }"))).toMatchObject({
      error: {
        code: "secret_missing",
        message:
          "Required secret 'SAIL' not found in provider 'harbour'\nRequired secret 'OTHER' not found in provider 'harbour'\nOnly what the operator lists in 'secrets' of the provider's plugin is served.",
      },
    });
    expect(await run(keeping("{ provider: harbour, required: [ANCHOR], config: { storm: true } }"))).toMatchObject({
      error: {
        code: "secret_provider",
        message:
          "Unable to authenticate with secret provider 'harbour': It failed: Error: The harbour is closed to ********.",
      },
    });
  });
});

describe("an agent of a kind that a plugin defines", { tags: "long" }, () => {
  const by = (who: string) =>
    `${fleetDocument}requirements: { agents: { implementer: { capabilities: [${who}-work] } } }\nscripts: { test: 'cat *.log && grep -q "implementer with 16" *.log' }\n`;

  test("does the tasks of its role, and what it throws fails them", async () => {
    expect(await run(by("sailor"))).toMatchObject({ status: "deployed", error: null });
    expect(await run(by("sailor").replace("ships: 3", "ships: 5"))).toMatchObject({
      status: "failed",
      error: { code: "plugin_failed", message: "The plugin 'fleet' failed. It failed: Error: Seasick of ********." },
    });
  });

  test("that the plugin does not have is not usable, with the reason", async () => {
    const { agents } = (await app.call({ url: "/api/v1/agents" })).json<{
      agents: { name: string; status: string }[];
    }>();
    expect(agents.find(({ name }) => name === "ghost")).toMatchObject({ status: "error" });
  });
});
