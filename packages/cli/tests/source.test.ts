import { expect, test } from "vitest";
import { FakeService, projectId } from "./fake-service.ts";
import { folderWith, slipway } from "./run-slipway.ts";

test.for([
  [["put", "shop", "full"], 4, "there is no application 'shop'; 'slipway apps list' shows them"],
  [["put", "app_1", "file"], 2, "slipway: file is not a folder\n"],
  [["put", projectId, "nowhere"], 2, "nowhere"],
  [["get", "app_1", "file"], 2, "cannot use file"],
  [["get", projectId, "full"], 2, "not empty"],
  [["get", "app_1", "new"], 1, "cannot write the files to new: The archive ends too early"],
  [["get", "proj_none", "new"], 4, "there is no application"],
  [["put", "app_none", "full"], 4, "not_found"],
] as const)("slipway source %o ends with %i and says why", async ([args, code, message]) => {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/applications/app_1/source", () => ({ type: "application/x-tar", body: {} }));
  service.answer("GET /api/v1/applications", { applications: [], next_cursor: null });
  const cwd = await folderWith({ file: "x", "full/file": "x" });
  const called = await slipway(["source", ...args], { cwd, env: service.env });
  expect(called).toMatchObject({ code, err: expect.stringContaining(message) });
  const puts = service.asked.filter(({ method }) => method === "PUT");
  expect(puts, "only what can be packed is sent").toHaveLength(args[1] === "app_none" ? 1 : 0);
});

test("slipway source put sends the folder as an archive and prints what the service answers", async () => {
  const service = await new FakeService().listen();
  const kept = {
    application_id: "app_1",
    base_project_id: null,
    files: 1,
    size_bytes: 2,
    put_at: "2026-11-15T09:30:00Z",
  };
  service.answer("PUT /api/v1/applications/app_1/source", kept);
  const cwd = await folderWith({ "mine/a.txt": "hi", "mine/.git/HEAD": "x", "mine/node_modules/b/c.js": "x" });
  const { code, out } = await slipway(["source", "put", projectId, "mine", "--json"], { cwd, env: service.env });
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual(kept);
  const sent = service.asked.at(-1)!;
  expect(sent.url).toBe(`/api/v1/applications/app_1/source?project_id=${projectId}`);
  expect(sent.body).toContain("a.txt");
  expect(sent.body).not.toMatch(/HEAD|c\.js/);
});

test("a project that failed over a conflict explains how to resolve it", async () => {
  const service = await new FakeService().listen();
  const error = { code: "regeneration_conflict", message: "README.md.", phase: "validation", task_id: "validate" };
  service.tell("project.failed", { error, phase: "validation" }, { status: "failed", error });
  const { code, out } = await slipway(["projects", "watch", projectId], { env: service.env });
  expect(code).toBe(1);
  expect(out).toContain(`To get its files: slipway source get ${projectId} DIR`);
  expect(out, "the same task would end the same way").not.toContain("projects retry");
});
