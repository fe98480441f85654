import type { WebhookFrame, WebhookFrames } from "@slipway/contract";
import { sql } from "kysely";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { countLoops } from "../../support/count-loops.ts";
import { createProject, createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { emit, emitted } from "../../support/webhooks/stage.ts";

const service = await createTestApp({ engine: { agents: [] } });
const { http, call, adminToken, userToken } = service;
const address = await http.listen({ host: "127.0.0.1", port: 0 });

interface Frame {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

/** Opens the stream and collects its frames until it is closed. */
async function listen(token: string, headers: Record<string, string> = {}) {
  const closing = new AbortController();
  const answer = await fetch(`${address}/api/v1/webhooks/stream?events=${emitted}`, {
    headers: { authorization: `Bearer ${token}`, accept: "text/event-stream", ...headers },
    signal: closing.signal,
  });
  const frames: Frame[] = [];
  const reading = (async () => {
    let text = "";
    for await (const chunk of answer.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      const parts = text.split("\n\n");
      text = parts.pop() ?? "";
      for (const part of parts) {
        const fields = new Map(
          part.split("\n").map((line) => [line.split(": ")[0]!, line.slice(line.indexOf(": ") + 2)]),
        );
        const [id, event, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
        if (id !== undefined && event !== undefined && data !== undefined)
          frames.push({ id, event, data: JSON.parse(data) });
      }
    }
  })().catch(() => undefined);
  const close = async () => {
    closing.abort();
    await reading;
  };
  return { frames, close };
}

const deliveriesIn = (frames: readonly Frame[]) =>
  frames.filter(({ event }) => event === "delivery").map(({ data }) => data as WebhookFrame);
const linesIn = (frames: readonly Frame[]) =>
  deliveriesIn(frames).map(({ body }) => (JSON.parse(body) as { data: { line: number } }).data.line);

test("the stream sends what a webhook would be posted, signed with its own secret, and goes on where it was left", async () => {
  const projectId = await createProject(service);
  await emit(service, projectId, 2);
  const first = await listen(adminToken);
  await until(() => first.frames.length > 0);
  const { secret } = first.frames[0]!.data as { secret: string };
  await emit(service, projectId, 3, 3);
  await until(() => deliveriesIn(first.frames).length === 3);
  expect(linesIn(first.frames)).toEqual([3, 4, 5]);
  for (const { headers, body } of deliveriesIn(first.frames)) new StandardWebhook(secret).verify(body, headers);
  await first.close();
  await emit(service, projectId, 2, 6);
  const second = await listen(adminToken, { "last-event-id": first.frames.at(-1)!.id });
  await until(() => deliveriesIn(second.frames).length === 2);
  expect(linesIn(second.frames)).toEqual([6, 7]);
  await second.close();
});

test("large events are signed one after the other, with turns for others", async () => {
  const projectId = await createProject(service);
  const stream = await listen(adminToken);
  await until(() => stream.frames.length > 0);
  await stream.close();
  const data = JSON.stringify({ text: "x".repeat(300_000) });
  await emit(service, projectId, 40);
  await sql`update events set data = ${data}::json where project_id = ${projectId} and name = ${emitted}`.execute(
    service.db,
  );
  const loops = countLoops();
  onTestFinished(loops.stop);
  const signed: number[] = [];
  const now = service.clock.now.bind(service.clock);
  const spy = vi.spyOn(service.clock, "now").mockImplementation(() => {
    signed.push(loops.now());
    return now();
  });
  onTestFinished(() => spy.mockRestore());
  const again = await listen(adminToken, { "last-event-id": stream.frames[0]!.id });
  await until(() => deliveriesIn(again.frames).length === 40);
  await again.close();
  expect(new Set(signed).size).toBeGreaterThan(8);
});

test("what was there before the stream began is not sent, also while an older transaction holds the log back", async () => {
  const projectId = await createProject(service);
  const older = await service.db.startTransaction().execute();
  await sql`select pg_current_xact_id()`.execute(older);
  await emit(service, projectId, 1, 1);
  const stream = await listen(adminToken);
  await emit(service, projectId, 1, 2);
  await older.commit().execute();
  await until(() => deliveriesIn(stream.frames).length > 0);
  expect(linesIn(stream.frames)).toEqual([2]);
  await stream.close();
});

test("the stream shows only what its reader may read", async () => {
  const { token } = await userToken("svc:user");
  const [theirs, ours] = [await createProject(service, undefined, token), await createProject(service)];
  const stream = await listen(token);
  await until(() => stream.frames.length > 0);
  await emit(service, ours, 1, 1);
  await emit(service, theirs, 1, 2);
  await until(() => deliveriesIn(stream.frames).length > 0);
  expect(linesIn(stream.frames)).toEqual([2]);
  await stream.close();
});

test("as JSON it answers what has come since, and refuses what it does not know", async () => {
  const projectId = await createProject(service);
  const read = async (lastEventId?: string) =>
    call({
      url: `/api/v1/webhooks/stream?events=${emitted}&project_id=${projectId}`,
      headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
    });
  const { last_event_id } = (await read()).json<WebhookFrames>();
  await emit(service, projectId, 2);
  const { deliveries, secret } = await until(async () => {
    const page = (await read(last_event_id)).json<WebhookFrames>();
    return page.deliveries.length === 2 && page;
  });
  for (const { headers, body } of deliveries) new StandardWebhook(secret).verify(body, headers);
  expect((await read("x")).json()).toMatchObject({ status: 400, code: "invalid_parameter" });
  const unknown = await call({ url: "/api/v1/webhooks/stream?events=project.exploded" });
  expect(unknown.json<{ detail: string }>().detail).toContain("There are: project.created");
});
