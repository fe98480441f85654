// @module-tag long
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Project } from "@slipway/contract";
import { afterAll, expect, test } from "vitest";
import { submit, untilAsked } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { fleetDocument, pluginSource, writePackage } from "../../support/write-plugin.ts";

const place = await mkdtemp(join(tmpdir(), "slipway-plugins-"));
afterAll(() => rm(place, { recursive: true, force: true }));
const source = pluginSource("fleet", { plan: "return { scripts: {}, unmet: [] };" });
const path = await writePackage(join(place, "fleet"), "fleet", source);
const app = await createTestApp({
  engine: { retryDelayMs: () => 0 },
  sandbox: "auto",
  plugins: { declared: [{ name: "fleet", path }], file: "slipway.yaml" },
});

test("a project whose plugin the operator takes away in the middle of it fails, and says which", async () => {
  const withGate = `${fleetDocument}guardrails: { deployment: { human_approval_required: true } }\n`;
  const id = await submit(app, withGate, "", (await app.userToken("svc:user")).token);
  const { approval_id } = await untilAsked(app, id);
  await app.app.stop();
  const { http } = await app.anotherNode({ plugins: { declared: undefined, file: "" } });
  const headers = { authorization: `Bearer ${app.adminToken}` };
  const url = `/api/v1/approvals/${approval_id}`;
  const answer = await http.inject({ method: "POST", url, headers, payload: { decision: "approve" } });
  expect(answer.statusCode, answer.payload).toBe(200);
  const failed = await until(async () => {
    const project = (await http.inject({ url: `/api/v1/projects/${id}`, headers })).json<Project>();
    return project.status === "failed" ? project : undefined;
  });
  expect(failed.error).toMatchObject({
    code: "unreadable_document",
    phase: "deployment",
    message: expect.stringContaining("The plugin 'fleet' is not allowed here."),
  });
});
