import type { Deployment, Release } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { FakeService, problem, projectId } from "./fake-service.ts";
import { slipway } from "./run-slipway.ts";

const applicationId = "app_01kaw3v9t2h5m8q1x7zc";
const at = "2026-11-15T09:30:00.000Z";
const url = "http://127.0.0.1:4801";
const release: Release = {
  ...{ release_id: "rel_2", number: 2, version: "v2", project_id: projectId, kind: "server", usage: `curl ${url}` },
  ...{
    strategy: "blue_green",
    status: "live",
    error: null,
    checks: { passed: 3, failed: 0, not_checked: 0, waived: 0 },
  },
  ...{
    traffic: { requests: 12, failed: 1, dropped: 0, p99_ms: 3 },
    digest: null,
    created_at: at,
    live_at: at,
    ended_at: null,
  },
};
const deployment: Deployment = {
  ...{ deployment_id: "dep_1", application_id: applicationId, environment: "default", status: "live", reason: null },
  ...{ url, usage: `curl ${url}`, replicas: 1, release, created_at: at, updated_at: at },
};
const application = {
  ...{ application_id: applicationId, document_id: "shop", owner_id: "usr_1", latest_project_id: projectId },
  ...{ projects: 2, created_at: at, updated_at: at },
};
const path = `/api/v1/applications/${applicationId}`;

async function listen(deployments: readonly Deployment[] = [deployment]): Promise<FakeService> {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/applications", { applications: [application], next_cursor: null });
  service.answer(`GET ${path}`, { ...application, deployments });
  service.answer(`GET ${path}/deployments`, { deployments });
  return service.answer(`GET ${path}/deployments/dep_1`, { ...deployment, releases: [release] });
}

const changes = (service: FakeService) =>
  service.asked.filter(({ method }) => method !== "GET").map(({ method, url: where, body }) => [method, where, body]);

describe("slipway apps", () => {
  test("list shows what is deployed of each application", async () => {
    const service = await listen();
    const { code, out } = await slipway(["apps", "list"], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`ID                        DOCUMENT  ENVIRONMENT  STATUS  VERSION  USE
${applicationId}  shop      default      live    v2       ${url}
`);
    const { out: json } = await slipway(["apps", "list", "--json"], { env: service.env });
    expect(JSON.parse(json)).toEqual({
      applications: [{ ...application, deployments: [deployment] }],
      next_cursor: null,
    });
  });

  test("list says what is not deployed", async () => {
    const { env } = await listen([]);
    expect((await slipway(["apps", "list"], { env })).out).toContain("not deployed");
    const missing = await slipway(["apps", "stop", "shop"], { env });
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining("is not deployed")]);
  });

  test("show gives the state and the versions", async () => {
    const { env } = await listen();
    const { out } = await slipway(["apps", "show", "shop"], { env });
    expect(out).toContain(`default: live, version v2\n${url}\n`);
    expect(out).toMatch(/^2 +rel_2 +v2 +live +3 passed +12 \(1 failed, 0 dropped\)/m);
    const { out: json } = await slipway(["apps", "show", applicationId, "--json"], { env });
    expect(JSON.parse(json)).toEqual({ ...application, deployments: [{ ...deployment, releases: [release] }] });
  });

  test("open prints the address, or how to use what has none", async () => {
    const { env } = await listen();
    expect((await slipway(["apps", "open", "shop"], { env })).out).toBe(`${url}\n`);
    const usage = "npm i /data/apps/dep_1/current/shop.tgz";
    const packed = await listen([{ ...deployment, url: null, usage, status: "stopped" }]);
    const { out, err } = await slipway(["apps", "open", "shop"], { env: packed.env });
    expect(out).toBe(`${usage}\n`);
    expect(err).toContain(`slipway apps start ${applicationId} --environment default`);
  });

  test("logs shows what the live version printed", async () => {
    const service = await listen();
    service.answer("GET /logs", (asked: { url: string }) => ({
      body: { lines: [{ at, source: "app", task_id: "", text: asked.url, sequence: 1 }], next_cursor: null },
    }));
    const { out } = await slipway(["apps", "logs", "shop", "--tail", "5"], { env: service.env });
    expect(out).toContain(`/api/v1/projects/${projectId}/logs?service=app&tail=5&task=`);
  });

  test("stop, start, restart, rollback and scale send what was asked, and say how it is now", async () => {
    const service = await listen();
    const below = `${path}/deployments/dep_1`;
    const stopped = { ...deployment, status: "stopped" };
    const two = { ...deployment, replicas: 2 };
    for (const [name, body] of Object.entries({
      stop: stopped,
      start: deployment,
      restart: deployment,
      rollback: deployment,
      scale: two,
    }))
      service.answer(`POST ${below}/${name}`, body);
    const outs: string[] = [];
    for (const args of [
      ["stop", "shop"],
      ["start", applicationId],
      ["restart", projectId],
      ["rollback", "shop", "--release", "rel_1", "--reason", "slow"],
      ["scale", "shop", "--replicas", "2"],
    ]) {
      service.change({ application_id: applicationId });
      outs.push((await slipway(["apps", ...args], { env: service.env })).out);
    }
    const live = `${applicationId} default is live at ${url} (version v2)\n`;
    expect(outs).toEqual([
      `${applicationId} default is stopped (version v2)\n`,
      ...[live, live, live],
      `${applicationId} default is live at ${url} (version v2, 2 copies)\n`,
    ]);
    expect(changes(service)).toEqual([
      ["POST", `${below}/stop`, ""],
      ["POST", `${below}/start`, ""],
      ["POST", `${below}/restart`, ""],
      ["POST", `${below}/rollback`, JSON.stringify({ release_id: "rel_1", reason: "slow" })],
      ["POST", `${below}/scale`, JSON.stringify({ replicas: 2 })],
    ]);
  });

  test("what is not healthy after a command ends it with 1, and a refusal with 3", async () => {
    const service = await listen();
    const below = `${path}/deployments/dep_1`;
    service.answer(`POST ${below}/start`, { ...deployment, status: "unhealthy", reason: "scripts.start ended" });
    const started = await slipway(["apps", "start", "shop"], { env: service.env });
    expect([started.code, started.out]).toEqual([
      1,
      expect.stringContaining("is unhealthy (version v2): scripts.start"),
    ]);
    const detail = "There is no version before this one to go back to.";
    service.answer(`POST ${below}/rollback`, () => ({ status: 409, body: problem(409, "conflict", detail) }));
    const refused = await slipway(["apps", "rollback", "shop"], { env: service.env });
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining(detail)]);
  });

  test("rm asks first", async () => {
    const service = await listen();
    service.answer(`DELETE ${path}/deployments/dep_1`, () => ({ status: 204, body: null }));
    const kept = await slipway(["apps", "rm", "shop"], { env: service.env, input: "no\n" });
    expect([kept.code, kept.err]).toEqual([2, expect.stringContaining("nothing was removed")]);
    expect(changes(service)).toEqual([]);
    const removed = await slipway(["apps", "rm", "shop"], { env: service.env, input: "yes\n" });
    expect([removed.code, removed.out]).toEqual([0, `${applicationId} default is removed\n`]);
    const { out } = await slipway(["apps", "rm", "shop", "--yes", "--json"], { env: service.env });
    expect(JSON.parse(out)).toMatchObject({ application_id: applicationId, removed: true });
    expect(changes(service)).toHaveLength(2);
  });

  test("of several environments one must be chosen, and an unknown application is 4", async () => {
    const { env } = await listen([deployment, { ...deployment, deployment_id: "dep_2", environment: "staging" }]);
    const several = await slipway(["apps", "stop", "shop"], { env });
    expect([several.code, several.err]).toEqual([2, expect.stringContaining("default, staging")]);
    expect((await slipway(["apps", "stop", "unknown"], { env })).code).toBe(4);
    expect((await slipway(["apps", "stop"], { env })).code).toBe(2);
  });
});
