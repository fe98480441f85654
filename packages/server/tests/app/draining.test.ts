import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { holdChanges, isPaused } from "../support/hold-changes.ts";
import { createProject, createTestApp, smallDocument } from "../support/test-app.ts";
import { until } from "../support/until.ts";

const service = await createTestApp();
const quiet = await createTestApp();
const waited = await createTestApp();
const { db, adminToken } = service;

test("requests in flight are finished, new ones are refused with 503, and the process still says that it lives", async () => {
  const address = await service.http.listen({ port: 0, host: "127.0.0.1" });
  const headers = { authorization: `Bearer ${adminToken}`, "content-type": "application/yaml" };
  const letGo = await holdChanges(db);
  const inFlight = fetch(`${address}/api/v1/projects`, { method: "POST", headers, body: smallDocument("last") });
  await until(() => isPaused(db));
  let isDrained = false;
  const drained = service.app.drain().then(() => {
    isDrained = true;
  });

  const refused = await fetch(`${address}/api/v1/projects`, { headers });
  expect(await refused.json()).toMatchObject({ status: 503, code: "shutting_down" });
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect(refused.headers.get("connection")).toBe("close");
  expect((await fetch(`${address}/readyz`)).status).toBe(503);
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
  expect(isDrained).toBe(false);

  await letGo();
  const answer = await inFlight;
  expect(answer.status).toBe(201);
  const { project_id } = (await answer.json()) as { project_id: string };
  await drained;
  const row = await db.selectFrom("projects").select("document_id").where("id", "=", project_id).executeTakeFirst();
  expect(row?.document_id).toBe("last");
});

test("a connection on which nothing was ever said does not hold the stop up", async () => {
  const { port } = new URL(await quiet.http.listen({ port: 0, host: "127.0.0.1" }));
  const accepted = once(quiet.http.server, "connection");
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  await accepted;
  const ended = once(socket.resume(), "close");
  await quiet.app.drain();
  await quiet.http.close();
  await ended;
});

test("waits are answered at once with what there is", async () => {
  const id = await createProject(waited);
  const waiting = waited.call({ url: `/api/v1/projects/${id}`, headers: { prefer: "wait=60" } });
  const openWaits = async () =>
    /^slipway_http_open_streams (\d+)$/m.exec((await waited.call({ url: "/metrics" })).payload)?.[1];
  await expect.poll(openWaits).toBe("1");
  const drained = waited.app.drain();
  expect((await waiting).statusCode).toBe(200);
  await drained;
});
