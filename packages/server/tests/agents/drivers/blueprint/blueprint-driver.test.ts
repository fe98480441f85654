import { mkdir, readdir, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtInPlugin } from "@slipway/blueprints";
import { parseSpec, planWork, resolveSpec } from "@slipway/spec";
import { describe, expect, test } from "vitest";
import { blueprintDriver } from "../../../../src/agents/index.ts";
import { builtInAgent } from "../../../../src/app/built-in-agent.ts";
import { findScripts } from "../../../../src/verification/index.ts";
import { newFolder, plainHost } from "../../../support/agents/plain-host.ts";
import { eventsOf, submit, untilEnded } from "../../../support/engine/follow.ts";
import { createTestApp } from "../../../support/test-app.ts";

const app = await createTestApp({ engine: {} });

const small = `
spec_version: "1.0.0"
id: notes
name: Notes
description: Keeps notes.
outcome_type: api
stack: {}
data_model: { note: { path: /notes, fields: { title: { type: string, required: true } } } }
acceptance:
  http_endpoints:
    - { path: /notes, method: POST, status: 201, body: { title: Milk } }
    - { path: /notes, method: GET, status: 200 }
    - { path: /notes/nowhere, method: GET, status: 404 }
`;

describe("the built-in agent", () => {
  test("takes a document to a live result that does what its acceptance says, without a model or a network", {
    tags: "long",
  }, async () => {
    const id = await submit(app, small.replace("stack: {}", "stack: { framework: rails }"));
    const { status, error, agents } = await untilEnded(app, id);
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    expect(new Set(Object.values(agents)).size, "it fills every role").toBe(1);
    const deployed = (await eventsOf(app, id)).find(({ event }) => event === "project.deployed")!;
    const url = String(deployed.data["url"]);
    const made = await fetch(`${url}/notes`, { method: "POST", body: '{"title":"Milk"}', headers: json });
    expect(made.status).toBe(201);
    expect(await (await fetch(`${url}/notes`)).text()).toContain("Milk");
    expect((await fetch(`${url}/notes/nowhere`)).status).toBe(404);
    const report = await app.call({ method: "GET", url: `/api/v1/projects/${id}/acceptance` });
    expect(report.json<{ unmet: object[] }>().unmet, "the report names what was not built").toContainEqual({
      ...{ pointer: "/stack/framework", line: expect.any(Number), reason: expect.any(String) },
    });
  });

  test("says in a dry run what it could not honour", async () => {
    const answer = await app.call({
      method: "POST",
      url: "/api/v1/projects?dry_run=true",
      headers: { "content-type": "application/yaml" },
      payload: `${small}stack_note: none\n`.replace("stack: {}", "stack: { framework: rails }"),
    });
    expect(answer.json<{ unmet: { pointer: string }[] }>().unmet).toContainEqual({
      line: expect.any(Number),
      pointer: "/stack/framework",
      reason: expect.any(String),
    });
  });

  test("knows every outcome type that it has a blueprint for, and their languages", () => {
    for (const { name, languages } of builtInPlugin.outcome_types)
      expect(builtInAgent.capabilities).toEqual(expect.arrayContaining([name, ...languages]));
  });

  test("follows no link that leads out of its folder", async () => {
    const folder = await newFolder();
    const [inside, outside] = [join(folder, "inside"), join(folder, "outside")];
    await Promise.all([mkdir(inside), mkdir(outside)]);
    await symlink(outside, join(inside, "src"));
    const { document } = resolveSpec(parseSpec(small).document!);
    const task = planWork(document).tasks.find(({ phase }) => phase === "implementation")!;
    const work = { projectId: "proj_1", agentId: "agent_1", attempt: 1, task, document, prompt: "", folder: inside };
    const { result } = blueprintDriver.start(work, plainHost(inside));
    expect(await result).toMatchObject({ is: "failed" });
    expect(await readdir(outside)).toEqual([]);
  });

  test("says so where there is no blueprint", async () => {
    const { document } = resolveSpec(parseSpec(small).document!);
    const task = { ...planWork(document).tasks[0]!, role: "implementer" };
    const strange = { ...document, outcome_type: "spaceship" };
    const work = { projectId: "p", agentId: "a", attempt: 1, task, document: strange, prompt: "", folder: tmpdir() };
    expect(await blueprintDriver.start(work, plainHost(tmpdir())).result).toEqual({
      is: "failed",
      code: "cannot_build",
      message: "There is no blueprint for 'spaceship'.",
    });
  });
});

const json = { "content-type": "application/json" };

test("how a result is run may be said by the result itself; the document's word goes first", async () => {
  const folder = await newFolder();
  expect(await findScripts({ scripts: { test: "mine" } }, folder)).toEqual({ test: "mine" });
  await mkdir(join(folder, ".slipway"));
  const file = join(folder, ".slipway/scripts.json");
  const write = (text: string) => writeFile(file, text);
  await write('{"test":"theirs","start":"run","build":7}');
  expect(await findScripts({ scripts: { test: "mine" } }, folder)).toEqual({ test: "mine", start: "run" });
  for (const odd of ["[]", "null", "{", '"text"']) {
    await write(odd);
    expect(await findScripts({ scripts: {} }, folder)).toEqual({});
  }
  await write("x".repeat(200_000));
  await expect(findScripts({ scripts: {} }, folder)).rejects.toThrow("is larger than 65536 bytes");
  await rm(file);
  await writeFile(`${file}.there`, '{"test":"theirs"}');
  await symlink(`${file}.there`, file);
  await expect(findScripts({ scripts: {} }, folder)).rejects.toThrow("is a link, which the service does not follow");
});
