import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { appendEvent } from "../../../src/engine/events/index.ts";
import { notifyOf } from "../../support/change-project.ts";
import { openEventStream } from "../../support/event-stream.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp();
const stopping = await createTestApp();
const { call, db, clock, http, adminToken, userToken, apiKey } = service;

interface History {
  readonly events: { sequence: number; event: string; data: { phase?: string } }[];
  readonly next_cursor: string | null;
}

const append = (id: string, phase: string) =>
  db.transaction().execute((trx) => appendEvent(trx, clock, id, "project.started", { phase }));
const history = async (id: string, query = "") =>
  (await call({ url: `/api/v1/projects/${id}/events${query}` })).json<History>();
const countUp = (to: number) => Array.from({ length: to }, (_, index) => index + 1);
const openStreams = async () =>
  Number(/^slipway_http_open_streams (\d+)$/m.exec((await call({ url: "/metrics" })).payload)?.[1]);

describe("the event log", () => {
  test("begins with the project's creation", async () => {
    const id = await createProject(service, smallDocument("first"));
    expect(await history(id)).toEqual({
      events: [
        {
          event_id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{20}$/),
          sequence: 1,
          event: "project.created",
          timestamp: clock.now().toISOString(),
          project_id: id,
          data: { name: "Hello", status: "specification", spec_url: `/api/v1/projects/${id}/spec` },
        },
      ],
      next_cursor: null,
    });
  });

  test("has no gap, though many write to it at once", async () => {
    const [one, other] = [await createProject(service), await createProject(service)];
    await Promise.all(countUp(20).flatMap((n) => [append(one, `one-${n}`), append(other, `other-${n}`)]));
    for (const id of [one, other]) {
      const { events } = await history(id, "?limit=100");
      expect(events.map(({ sequence }) => sequence)).toEqual(countUp(21));
      expect(new Set(events.map(({ data }) => data.phase)).size).toBe(21);
    }
  });

  test("knows nothing of a transaction that was rolled back, and leaves no gap for it", async () => {
    const id = await createProject(service);
    const rolledBack = db.transaction().execute(async (trx) => {
      await appendEvent(trx, clock, id, "project.started", { phase: "never" });
      throw new Error("changed my mind");
    });
    await expect(rolledBack).rejects.toThrow("changed my mind");
    await append(id, "real");
    const { events } = await history(id);
    expect(events.map(({ sequence, data }) => [sequence, data.phase])).toEqual([
      [1, undefined],
      [2, "real"],
    ]);
  });

  test("takes no event for a project that is not there", async () => {
    await expect(append("proj_00000000000000000000", "x")).rejects.toThrow("does not exist");
  });

  test("is read page by page, in order", async () => {
    const id = await createProject(service);
    for (const n of countUp(6)) await append(id, String(n));
    const seen: number[] = [];
    for (let query: string | undefined = "?limit=3"; query !== undefined; ) {
      const answer = await call({ url: `/api/v1/projects/${id}/events${query}` });
      seen.push(...answer.json<History>().events.map(({ sequence }) => sequence));
      query = /^<[^?]+(\?[^>]+)>; rel="next"$/.exec(String(answer.headers["link"]))?.[1];
    }
    expect(seen).toEqual(countUp(7));
  });

  test("refuses a cursor of another list", async () => {
    const id = await createProject(service);
    await createProject(service);
    const { next_cursor } = (await call({ url: "/api/v1/projects?limit=1" })).json<{ next_cursor: string }>();
    const answer = await call({ url: `/api/v1/projects/${id}/events?cursor=${next_cursor}` });
    expect(answer.json()).toMatchObject({ status: 400, code: "invalid_parameter" });
  });
});

describe("the event stream", () => {
  let address = "";
  beforeAll(async () => {
    address = await http.listen({ port: 0, host: "127.0.0.1" });
  });
  const open = (id: string, headers: Record<string, string> = {}, at = address) =>
    openEventStream(`${at}/api/v1/projects/${id}/events`, { authorization: `Bearer ${adminToken}`, ...headers });

  test("replays the history, with the sequence as id, the name as event and the same JSON as data", async () => {
    const id = await createProject(service);
    await append(id, "planning");
    const { events } = await history(id);
    const stream = await open(id);
    expect([await stream.next(), await stream.next()]).toEqual([
      { id: "1", event: "project.created", data: events[0] },
      { id: "2", event: "project.started", data: events[1] },
    ]);
  });

  test("says what it is, and carries the headers of any answer", async () => {
    const id = await createProject(service);
    const { response } = await open(id, { "x-request-id": "mine" });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
      "x-request-id": "mine",
      "x-content-type-options": "nosniff",
      "ratelimit-policy": expect.stringContaining("w=60"),
    });
  });

  test("goes on after Last-Event-ID", async () => {
    const id = await createProject(service);
    for (const n of countUp(3)) await append(id, String(n));
    const stream = await open(id, { "last-event-id": "3" });
    expect((await stream.next()).id).toBe("4");
  });

  test.each(["x", "-1", "1.5", "1e3", "9".repeat(16)])("refuses %s as Last-Event-ID", async (lastEventId) => {
    const id = await createProject(service);
    const { response } = await open(id, { "last-event-id": lastEventId });
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toMatch(/^application\/problem\+json/);
  });

  test("on another node is woken by what happens, as it happens", async () => {
    const node = await service.anotherNode({ readerPollMs: 600_000 });
    const address = await node.http.listen({ port: 0, host: "127.0.0.1" });
    const id = await createProject(service);
    const stream = await open(id, {}, address);
    await stream.next();
    for (const phase of ["one", "two"]) {
      await append(id, phase);
      await notifyOf(db, id);
      expect((await stream.next()).data.data).toEqual({ phase });
    }
  });

  test("brings what nobody told of, a little later", async () => {
    const id = await createProject(service);
    const stream = await open(id);
    await stream.next();
    await append(id, "quietly");
    expect((await stream.next()).data.data).toEqual({ phase: "quietly" });
  });

  test("brings a history that is longer than one read of the database, in order and whole", async () => {
    const id = await createProject(service);
    await db.transaction().execute(async (trx) => {
      for (const n of countUp(349)) await appendEvent(trx, clock, id, "project.started", { phase: String(n) });
    });
    const stream = await open(id);
    const seen: string[] = [];
    while (seen.length < 350) seen.push((await stream.next()).id);
    expect(seen).toEqual(countUp(350).map(String));
  });

  test("is only of that project", async () => {
    const [id, other] = [await createProject(service), await createProject(service)];
    const stream = await open(id);
    await stream.next();
    await append(other, "elsewhere");
    await notifyOf(db, other);
    await append(id, "here");
    await notifyOf(db, id);
    expect((await stream.next()).data).toMatchObject({ project_id: id, data: { phase: "here" } });
  });

  test("is not for who may not read the project", async () => {
    const id = await createProject(service);
    const [stranger, keeper] = [await userToken("svc:user"), await apiKey(["agents:read"])];
    expect((await open(id, { authorization: `Bearer ${stranger.token}` })).response.status).toBe(404);
    expect((await open(id, { authorization: `Bearer ${keeper.key}` })).response.status).toBe(403);
    expect((await open(id, { authorization: "" })).response.status).toBe(401);
  });

  test("ends when the token it was opened with is revoked", async () => {
    const id = await createProject(service);
    const { id: keyId, key } = await apiKey(["projects:read"]);
    const stream = await open(id, { authorization: `Bearer ${key}` });
    expect((await stream.next()).event).toBe("project.created");
    await call({ method: "DELETE", url: `/api/v1/auth/api-keys/${keyId}` });
    expect(await stream.rest()).toEqual([]);
  });

  test("may be open 20 times a token; one that is closed makes room", async () => {
    const { token } = await userToken("svc:user");
    const id = await createProject(service, smallDocument(), token);
    const authorization = `Bearer ${token}`;
    const before = await openStreams();
    const streams = await Promise.all(countUp(20).map(() => open(id, { authorization })));
    expect(streams.every(({ response }) => response.status === 200)).toBe(true);
    expect((await open(id, { authorization })).response.status).toBe(429);
    streams[0]?.close();
    await expect.poll(openStreams).toBe(before + 19);
    expect((await open(id, { authorization })).response.status).toBe(200);
  });

  describe("with a history of many megabytes", { tags: "long" }, () => {
    let id = "";
    beforeAll(async () => {
      id = await createProject(service, smallDocument("large"));
      await db.transaction().execute(async (trx) => {
        for (const n of countUp(250)) {
          await appendEvent(trx, clock, id, "project.started", { phase: `${n} ${"x".repeat(100_000)}` });
        }
      });
    });

    test("comes whole to who reads", async () => {
      const stream = await open(id);
      const seen: string[] = [];
      while (seen.length < 251) seen.push((await stream.next()).id);
      expect(seen).toEqual(countUp(251).map(String));
    });

    test("is not kept for who does not read: the connection is dropped", async () => {
      const request = once(http.server, "request") as Promise<[unknown, ServerResponse]>;
      const { port, hostname } = new URL(address);
      const socket = connect({ port: Number(port), host: hostname });
      const closed = new Promise((resolve) => socket.once("close", resolve));
      socket.on("error", () => undefined).pause();
      socket.write(
        `GET /api/v1/projects/${id}/events HTTP/1.1\r\nHost: test\r\nAccept: text/event-stream\r\n` +
          `Authorization: Bearer ${adminToken}\r\n\r\n`,
      );
      const [, response] = await request;
      let maxBuffered = 0;
      const dropped = once(response, "close");
      const look = setInterval(() => {
        maxBuffered = Math.max(maxBuffered, response.writableLength);
      }, 1);
      await dropped;
      clearInterval(look);
      expect(response.writableFinished).toBe(false);
      expect(maxBuffered).toBeGreaterThan(1024 * 1024);
      expect(maxBuffered).toBeLessThan(2 * 1024 * 1024);
      socket.resume();
      await closed;
    });
  });
});

test("streams end cleanly when the service stops, so that readers come back to another node", async () => {
  const id = await createProject(stopping);
  const address = await stopping.http.listen({ port: 0, host: "127.0.0.1" });
  const stream = await openEventStream(`${address}/api/v1/projects/${id}/events`, {
    authorization: `Bearer ${stopping.adminToken}`,
  });
  await stream.next();
  const drained = stopping.app.drain();
  expect(await stream.rest()).toEqual([]);
  await drained;
});
