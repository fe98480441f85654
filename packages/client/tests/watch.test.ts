import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { createClient, SlipwayError, waitForEnd, watchEvents, watchLogs, watchProject } from "../src/index.ts";
import { type Received, sendJson, sendProblem, serveHttp } from "./serve-http.ts";

const projectId = "proj_1";
const eventOf = (sequence: number, event = "agent.task_completed") => ({
  event_id: `evt_${sequence}`,
  sequence,
  event,
  timestamp: "2026-11-15T09:30:00.000Z",
  project_id: projectId,
  data: {},
});

function begin(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write("retry: 2000\n\n");
}

function write(response: ServerResponse, ...events: ReturnType<typeof eventOf>[]): void {
  for (const event of events)
    response.write(`id: ${event.sequence}\nevent: ${event.event}\ndata: ${JSON.stringify(event)}\n\n`);
}

const lastId = ({ headers }: Received) => headers["last-event-id"];

/** The first events of a watch, by their sequence. */
async function take(events: AsyncIterable<{ sequence: number }>, count: number): Promise<number[]> {
  const taken: number[] = [];
  for await (const { sequence } of events) {
    taken.push(sequence);
    if (taken.length === count) break;
  }
  return taken;
}

describe("watching events", () => {
  test("resumes after the last event when the connection breaks, the service is away, or an SSE event is cut off", async () => {
    const server = await serveHttp((_, response, count) => {
      if (count === 3) return sendProblem(response, 503, "shutting_down", { "retry-after": "0" });
      if (count === 4) return response.destroy();
      begin(response);
      if (count === 1) write(response, eventOf(1), eventOf(2));
      // Sent again, in spite of what was asked for: it is yielded once.
      if (count === 2) write(response, eventOf(2), eventOf(3));
      if (count === 2) response.write('id: 4\ndata: {"seq');
      if (count < 5) response.end();
      else write(response, eventOf(4), eventOf(5));
    });
    const client = createClient({ url: server.url });
    expect(await take(watchEvents(client, projectId), 5)).toEqual([1, 2, 3, 4, 5]);
    expect(server.received.map(lastId)).toEqual([undefined, "2", "3", "3", "3"]);
  });

  test("begins after the event that one has", async () => {
    const server = await serveHttp((_, response) => {
      begin(response);
      write(response, eventOf(8));
    });
    expect(await take(watchEvents(createClient({ url: server.url }), projectId, { after: 7 }), 1)).toEqual([8]);
    expect(server.received.map(lastId)).toEqual(["7"]);
  });

  test("a silent connection is replaced by another", async () => {
    // By the last event, not by the count of connections: a busy machine may need more than two.
    const server = await serveHttp((request, response) => {
      begin(response);
      write(response, eventOf(Number(lastId(request) ?? 0) + 1));
    });
    const events = watchEvents(createClient({ url: server.url }), projectId, { idleMs: 50 });
    expect(await take(events, 2)).toEqual([1, 2]);
  });

  test("a refusal ends it", async () => {
    const server = await serveHttp((_, response) => sendProblem(response, 401, "unauthenticated"));
    const watching = take(watchEvents(createClient({ url: server.url }), projectId), 1);
    await expect(watching).rejects.toBeInstanceOf(SlipwayError);
    expect(server.received).toHaveLength(1);
  });

  test("a service that stays away ends it, with the reason", async () => {
    const watching = take(watchEvents(createClient({ url: "http://127.0.0.1:1" }), projectId, { patienceMs: 100 }), 1);
    await expect(watching).rejects.toThrow("Cannot reach");
  });

  test("a signal ends it, and the connection", async () => {
    const calledOff = new AbortController();
    const closed = Promise.withResolvers<void>();
    const server = await serveHttp((_, response) => {
      begin(response);
      write(response, eventOf(1));
      response.on("close", closed.resolve);
    });
    const events = watchEvents(createClient({ url: server.url }), projectId, { signal: calledOff.signal });
    await events.next();
    const next = events.next();
    calledOff.abort(new Error("enough"));
    await expect(next).rejects.toThrow("enough");
    await closed.promise;
  });

  test("who stops reading closes the connection", async () => {
    const closed = Promise.withResolvers<void>();
    const server = await serveHttp((_, response) => {
      begin(response);
      write(response, eventOf(1));
      response.on("close", closed.resolve);
    });
    await take(watchEvents(createClient({ url: server.url }), projectId), 1);
    await closed.promise;
  });
});

test("watching a log that was empty goes on where it was, and asks for no last lines again", async () => {
  const server = await serveHttp((_, response, count) => {
    begin(response);
    const lines = count === 1 ? [] : [{ text: "first" }];
    response.end(
      `id: ${count - 1}\nevent: lines\ndata: ${JSON.stringify({ lines, next_cursor: String(count - 1) })}\n\n`,
    );
  });
  const told: string[] = [];
  for await (const lines of watchLogs(createClient({ url: server.url }), projectId)) {
    told.push(...lines.map(({ text }) => text));
    if (told.length > 0) break;
  }
  expect(told).toEqual(["first"]);
  expect(server.received.map(lastId)).toEqual([undefined, "0"]);
});

test("waiting for the end does not take an earlier end for the last one", async () => {
  const history = ["project.created", "project.failed", "project.restarted", "project.deployed"].map((name, index) =>
    eventOf(index + 1, name),
  );
  const statuses = ["implementation", "deployed"];
  const server = await serveHttp(({ url, headers }, response) => {
    if (headers.accept === "text/event-stream") {
      begin(response);
      write(response, ...history);
    } else if (url.includes("/events")) sendJson(response, 200, { events: history, next_cursor: null });
    else sendJson(response, 200, { project_id: projectId, status: statuses.shift() });
  });
  const project = await waitForEnd(createClient({ url: server.url }), projectId);
  expect(project.status).toBe("deployed");
  expect(statuses).toEqual([]);
});

test("watching a project reads it again only when it has changed", async () => {
  const server = await serveHttp((_, response, count) => {
    if (count === 2) response.writeHead(304).end();
    else if (count === 3) response.destroy();
    else sendJson(response, 200, { project_id: projectId, progress: count }, { etag: `"${count}"` });
  });
  const seen: number[] = [];
  for await (const { progress } of watchProject(createClient({ url: server.url }), projectId, { intervalMs: 0 })) {
    seen.push(progress);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([1, 4]);
  expect(server.received.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"1"', '"1"', '"1"']);
  expect(server.received[1]?.headers["prefer"]).toBe("wait=30");
});
