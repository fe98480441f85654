import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Problem } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { eventsOf, submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";
import { fleetDocument, pluginSource, writePackage } from "../../support/write-plugin.ts";

const examples = fileURLToPath(new URL("../../../../../examples/plugins/", import.meta.url));
const example = (name: string) => readFileSync(join(examples, name, "example.yaml"), "utf8");
const place = await mkdtemp(join(tmpdir(), "slipway-plugins-"));
afterAll(() => rm(place, { recursive: true, force: true }));

const schema =
  "schema: { type: 'object', properties: { ships: { type: 'integer', minimum: 1 } }, required: ['ships'] },";
const fleet = pluginSource("fleet", {
  type: `${schema} stack_defaults: { hull: "steel" },`,
  plan: `
    if (document.ships === 13) throw new Error("Bad luck.");
    return { scripts: {}, unmet: [{ pointer: "/stack/hull", reason: "A hull of " + document.stack.hull + "." }] };`,
  build: `
    if (document.ships === 99) throw new Error("The fleet is lost.");
    await workspace.write(task.id + ".txt", document.ships + "\\n");`.replaceAll("document.", "workspace.document."),
});
const declared = [
  { name: "slipway-plugin-distributed-system", path: join(examples, "distributed-system") },
  { name: "slipway-plugin-platform", path: join(examples, "platform") },
  { name: "fleet", path: await writePackage(join(place, "fleet"), "fleet", fleet) },
  { name: "wreck", path: await writePackage(join(place, "wreck"), "wreck", "throw new Error('Aground.');") },
  { name: "ghost" },
];
const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  // What this machine has: the folders of attempts may belong to others afterwards.
  sandbox: "auto",
  plugins: { declared, file: "slipway.yaml" },
});
const bare = await createTestApp();

const post = (to: typeof app, url: string, payload: string) =>
  to.call({ method: "POST", url, headers: { "content-type": "application/yaml" }, payload });

describe("a document that names a plugin", () => {
  test("goes live as the plugin builds it, where the operator allows it", { tags: "long" }, async () => {
    const id = await submit(app, example("distributed-system"));
    const { status, error } = await untilEnded(app, id);
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    const deployed = (await eventsOf(app, id)).find(({ event }) => event === "project.deployed")!;
    const url = String(deployed.data["url"]);
    expect(await (await fetch(`${url}/services/bills/ready`)).json()).toEqual({ service: "bills", status: "ok" });
  });

  test("goes live with defaults of the plugin, too", { tags: "long" }, async () => {
    const dry = await post(
      app,
      "/api/v1/projects?dry_run=true",
      example("platform").replace("runbook: runbooks/sign-in.md", "uses: [nobody]"),
    );
    expect(dry.json()).toMatchObject({
      unmet: [
        { pointer: "/components/sign-in/uses/0", reason: "There is no component 'nobody'." },
        { pointer: "/components/sign-in", reason: "'sign-in' is critical and has no runbook." },
      ],
    });
    const id = await submit(app, example("platform"));
    const { status, error } = await untilEnded(app, id);
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    // The plugin's own tasks, in the dry run and in what was done.
    const work = ["catalogue", "portal"];
    const ids = (answer: typeof dry) => answer.json<{ tasks: { id: string }[] }>().tasks.map((task) => task.id);
    expect(ids(dry)).toEqual(["plan", ...work, "validate", "deploy"]);
    const completed = (await eventsOf(app, id)).filter(({ event }) => event === "agent.task_completed");
    expect(completed.map(({ data }) => data["task_id"])).toEqual(expect.arrayContaining(work));
  });

  test("is refused where the operator does not, with the plugin's name and the remedy", async () => {
    const answer = await post(bare, "/api/v1/projects", example("distributed-system"));
    expect(answer.statusCode).toBe(422);
    const { code, detail, errors } = answer.json<Problem>();
    expect(code).toBe("invalid_document");
    expect(detail).toContain("The plugin 'slipway-plugin-distributed-system' is not allowed here.");
    expect(errors).toContainEqual({
      code: "unknown_plugin",
      message: expect.stringContaining("slipway plugins add slipway-plugin-distributed-system"),
      pointer: "/plugins/0",
      line: 8,
      column: 11,
    });
  });

  test("is refused where the plugin is broken or missing, with the reason", async () => {
    const answer = await post(app, "/api/v1/projects", fleetDocument.replace("[fleet]", "[fleet, wreck, ghost]"));
    expect(answer.statusCode).toBe(422);
    const { errors = [] } = answer.json<Problem>();
    expect(errors.map(({ code, pointer }) => [code, pointer])).toEqual([
      ["plugin_failed", "/plugins/1"],
      ["plugin_failed", "/plugins/2"],
    ]);
    expect(errors[0]!.message).toContain("The plugin 'wreck' cannot be used: It failed: Error: Aground.");
  });

  test("with an unknown type is answered with the types of its plugins, and of no others", async () => {
    const unknown = fleetDocument.replace("outcome_type: fleet", "outcome_type: armada");
    const { detail } = (await post(app, "/api/v1/projects", unknown)).json<Problem>();
    expect(detail).toMatch(/^Unknown outcome_type 'armada'\. Valid types: web-app, api, .*, documentation, fleet$/);
    const unnamed = fleetDocument.replace("plugins: [fleet]\n", "");
    expect((await post(app, "/api/v1/projects", unnamed)).json<Problem>().detail).toMatch(
      /^Unknown outcome_type 'fleet'\. Valid types: .*, documentation$/,
    );
  });

  test("has the keys of the plugin's type checked in their places, small or large", async () => {
    const wrong = fleetDocument.replace("ships: 3", "ships: none");
    for (const document of [wrong, `${wrong}# ${"x".repeat(64 * 1024)}\n`]) {
      const answer = await post(app, "/api/v1/specs/validate", document);
      expect(answer.json()).toMatchObject({
        valid: false,
        diagnostics: [{ code: "wrong_type", pointer: "/ships", line: 9, column: 8 }],
      });
    }
  });

  test("learns in a dry run what the plugin cannot honour, defaults included", async () => {
    const answer = await post(app, "/api/v1/projects?dry_run=true", fleetDocument);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ unmet: [{ pointer: "/stack/hull", reason: "A hull of steel." }] });
    const unlucky = await post(app, "/api/v1/projects?dry_run=true", fleetDocument.replace("ships: 3", "ships: 13"));
    expect(unlucky.statusCode).toBe(422);
    expect(unlucky.json()).toMatchObject({
      code: "plugin_failed",
      detail: "The plugin 'fleet' failed. It failed: Error: Bad luck.",
    });
  });

  test("fails, and nothing else does, where the plugin throws", { tags: "long" }, async () => {
    const id = await submit(app, fleetDocument.replace("ships: 3", "ships: 99"));
    const { status, error } = await untilEnded(app, id);
    expect(status).toBe("failed");
    expect(error).toMatchObject({
      code: "plugin_failed",
      message: "The plugin 'fleet' failed. It failed: Error: The fleet is lost.",
    });
    const well = await submit(app, fleetDocument);
    expect((await untilEnded(app, well)).status).toBe("deployed");
  });
});
