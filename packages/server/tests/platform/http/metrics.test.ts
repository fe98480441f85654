import { expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

const { call, userToken, apiKey } = await createTestApp({ metricsToken: "prometheus" });
const read = async (token = "prometheus") => call({ url: "/metrics", token });

test("measurements are given in Prometheus' format, to administrators and the operator's token only", async () => {
  const answer = await read();
  expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(answer.payload).toMatch(/^process_resident_memory_bytes \d+$/m);
  const { token } = await userToken("svc:admin");
  const statuses = [
    (await read(token)).statusCode,
    (await read((await userToken("svc:user")).token)).statusCode,
    (await read((await userToken("svc:readonly")).token)).statusCode,
    (await read((await apiKey(["projects:read"])).key)).statusCode,
    (await read("promethevs")).statusCode,
    (await read("prometheus-2")).statusCode,
    (await call({ url: "/metrics", token: null })).statusCode,
  ];
  expect(statuses).toEqual([200, 403, 403, 403, 401, 401, 401]);
});

test("requests are counted by route, method and status", async () => {
  await call({ url: "/api/v1/projects/proj_one" });
  await call({ url: "/api/v1/projects/proj_two" });
  const { payload } = await read();
  expect(payload).toContain(
    'slipway_http_requests_total{method="GET",route="/api/v1/projects/:project_id",status="404"} 2',
  );
  expect(payload).toContain(
    'slipway_http_request_duration_seconds_count{method="GET",route="/api/v1/projects/:project_id"} 2',
  );
});

test("no caller decides how many series there are", async () => {
  const series = async () => (await read()).payload.split("\n").filter((line) => line.startsWith("slipway_")).length;
  const load = async (round: string) => {
    for (let i = 0; i < 30; i += 1) {
      await call({ url: `/unknown-${round}-${i}` });
      await call({ url: `/api/v1/projects/${round}-${i}` });
      await call({ url: `/api/v1/projects?${round}=${i}` });
    }
  };
  await load("first");
  const before = await series();
  await load("second");
  expect(await series()).toBe(before);
  expect((await read()).payload).not.toMatch(/unknown-|second-/);
});
