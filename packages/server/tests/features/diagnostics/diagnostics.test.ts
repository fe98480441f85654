import type { Diagnostics, ProjectHealth } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { maskTexts } from "../../../src/features/diagnostics/mask-texts.ts";
import { projectHealth } from "../../../src/features/projects/project-health.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { changeProject } from "../../support/change-project.ts";
import { measureHolding } from "../../support/measure-holding.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const app = await createTestApp();
const { call, clock, db, userToken } = app;

describe("the health of projects", () => {
  test("is that of the latest run of each application, of those that the caller may read", async () => {
    const { token } = await userToken("svc:user");
    await createProject(app, smallDocument("one"), token);
    clock.advance(1_000);
    const latest = await createProject(app, smallDocument("one"), token);
    clock.advance(1_000);
    const other = await createProject(app, smallDocument("two"), token);
    await changeProject(db, latest, "failed");
    const read = async (query = "") => {
      const answer = await call({ url: `/api/v1/health/projects${query}`, token });
      return answer.json<{ projects: ProjectHealth[]; next_cursor: string | null }>();
    };
    const { projects } = await read();
    expect(projects.map(({ project_id, health, reason }) => [project_id, health, reason])).toEqual([
      [other, "well", null],
      [latest, "failed", "It failed."],
    ]);
    const first = await read("?limit=1");
    const second = await read(`?limit=1&cursor=${first.next_cursor}`);
    expect([...first.projects, ...second.projects]).toEqual(projects);
    const { token: stranger } = await userToken("svc:user");
    expect((await call({ url: "/api/v1/health/projects", token: stranger })).json()).toMatchObject({ projects: [] });
  });

  const now = Date.parse("2026-11-15T10:30:00Z");
  const moving = { status: "implementation", waiting_for: null, error: null, updated_at: "2026-11-15T10:20:00Z" };
  test.for([
    [{}, "well"],
    [{ updated_at: "2026-11-15T09:00:00Z" }, "stalled"],
    [{ updated_at: "2026-11-15T09:00:00Z", waiting_for: "agent" }, "stalled"],
    [{ updated_at: "2026-11-15T09:00:00Z", waiting_for: "approval" }, "waiting"],
    [{ status: "deployed", updated_at: "2026-11-15T09:00:00Z" }, "well"],
    [{ status: "deployed", deployment: { status: "unhealthy", version: "1", environment: "default" } }, "unhealthy"],
  ] as const)("a project with %o is %s", ([change, health]) => {
    expect(projectHealth({ ...moving, ...change } as never, now).health).toBe(health);
  });
});

describe("diagnostics", () => {
  test("explain a project in one answer, to whoever may read it", async () => {
    const { token } = await userToken("svc:user");
    const project = await createProject(app, `${smallDocument("three")}# see postgres://ada:hunter2@db/shop\n`, token);
    const url = `/api/v1/projects/${project}/diagnostics`;
    const answer = (await call({ url, token, headers: { accept: "text/event-stream" } })).json<Diagnostics>();
    expect(answer).toMatchObject({
      project: { project_id: project },
      document: expect.stringContaining("postgres://ada:***@db/shop"),
      events: [{ event: "project.created" }],
      service: { node: process.versions.node },
      acceptance: { project_id: project },
    });
    const { token: stranger } = await userToken("svc:user");
    expect((await call({ url, token: stranger })).statusCode).toBe(404);
  });

  test("mask secrets in every text, however deep and long", async () => {
    const secret = "s3cret-value-of-somebody";
    const value = { a: [{ b: `x ${secret} y` }], long: "z".repeat(20_000) + secret, n: 1, none: null };
    const masked = await maskTexts(value, new Masker([secret]));
    expect(JSON.stringify(masked)).not.toContain(secret);
    expect(masked).toMatchObject({ a: [{ b: expect.stringMatching(/^x .+ y$/) }], n: 1, none: null });
  });

  test("let others have their turns, also where texts are short and many", async () => {
    const lines = Array.from({ length: 200 }, () => ({ text: "x%41".repeat(2_000) }));
    const masking = () => maskTexts({ lines }, new Masker(["s3cret-value-of-somebody"]));
    const { heldMs, tookMs } = await measureHolding(masking);
    expect(heldMs).toBeLessThan(tookMs / 2);
  });
});
