import { createHmac } from "node:crypto";
import { type Delivery, WebhookBody, type WebhookEventName } from "@slipway/contract";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { sql } from "kysely";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { beforeEach, describe, expect, test } from "vitest";
import { appendEvent } from "../../../../src/engine/events/index.ts";
import { patientTransaction } from "../../../support/database/patient-transaction.ts";
import { createProject, createTestApp } from "../../../support/test-app.ts";
import { until } from "../../../support/until.ts";
import { type Received, startReceiver } from "../../../support/webhooks/receiver.ts";
import {
  changeWebhook,
  deliveriesOf,
  emit,
  emitted,
  linesOf,
  readWebhook,
  register,
  secret,
} from "../../../support/webhooks/stage.ts";

const service = await createTestApp({ engine: { agents: [] }, webhooks: { scaleDelay: (ms) => ms / 1000 } });
const { call, db, clock } = service;
const receiver = await startReceiver();
const events = [emitted];

let path = "";
let paths = 0;
beforeEach(() => {
  paths += 1;
  path = `/${paths}`;
  receiver.answer = (_received, response) => void response.writeHead(204).end();
});
const url = () => receiver.url + path;
const here = () => receiver.at(path);
const arrived = (count: number) => until(() => here().length >= count);
const settled = (id: string, count: number, status = "delivered") =>
  until(async () => {
    const found = await deliveriesOf(service, id, `&status=${status}`);
    return found.length >= count && found;
  });

test("what happens to a project arrives once, signed, with a gapless sequence, and is logged", async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  const projectId = await createProject(service);
  await emit(service, projectId, 5);
  await arrived(5);
  expect(
    here()
      .map(({ sequence }) => sequence)
      .toSorted(),
  ).toEqual([1, 2, 3, 4, 5]);
  for (const { text, headers, body } of here()) {
    expect(Object.keys(body)).toEqual(["event", "timestamp", "project_id", "data", "signature"]);
    expect(body.project_id).toBe(projectId);
    const unsigned = `${text.slice(0, text.lastIndexOf(',"signature":'))}}`;
    expect(body.signature).toBe(`sha256=${createHmac("sha256", secret).update(unsigned).digest("hex")}`);
    const { signature: _, ...rest } = body;
    expect(JSON.stringify(rest)).toBe(unsigned);
    expect(headers["webhook-attempt"]).toBe("1");
  }
  const all = await settled(webhook_id, 5);
  expect(all).toHaveLength(5);
  // Those that were made in the same millisecond have no order.
  const last = all.find(({ sequence }) => sequence === 5);
  expect(last).toMatchObject({ status: "delivered", attempt_count: 1, project_id: projectId });
  expect(last!.attempts).toMatchObject([{ number: 1, fault: null, error: null, response: { status: 204 } }]);
  expect(JSON.stringify(last)).not.toContain(secret);
  const read = await call({ url: `/api/v1/deliveries/${last!.delivery_id}` });
  expect(read.json()).toEqual(last);
  const [third] = await deliveriesOf(service, webhook_id, `&project_id=${projectId}&sequence_from=3&sequence_to=3`);
  expect(third).toMatchObject({ sequence: 3 });
});

test("the libraries of Standard Webhooks and Svix verify what arrives, and so do both secrets while one is rotated", async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  const projectId = await createProject(service);
  await emit(service, projectId);
  await arrived(1);
  verify(here()[0]!, secret);
  expect(() => verify(here()[0]!, "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0y")).toThrow();
  const rotated = await call({
    method: "POST",
    url: `/api/v1/webhooks/${webhook_id}/rotate-secret`,
    payload: { overlap_seconds: 60 },
  });
  const { secret: fresh } = rotated.json<{ secret: string }>();
  expect(fresh).toMatch(/^whsec_/);
  await emit(service, projectId);
  await arrived(2);
  verify(here()[1]!, fresh);
  verify(here()[1]!, secret);
  const { text, body } = here()[1]!;
  const unsigned = `${text.slice(0, text.lastIndexOf(',"signature":'))}}`;
  expect(body.signature).toBe(`sha256=${createHmac("sha256", fresh).update(unsigned).digest("hex")}`);
  clock.advance(61_000);
  await emit(service, projectId);
  await arrived(3);
  expect(String(here()[2]!.headers["webhook-signature"]).split(" ")).toHaveLength(1);
});

function verify({ text, headers }: Received, key: string): void {
  // The clock of this test is turned; the libraries look at the real one.
  const [id, timestamp] = [String(headers["webhook-id"]), String(headers["webhook-timestamp"])];
  const sent = { "webhook-id": id, "webhook-timestamp": timestamp };
  const signature = String(headers["webhook-signature"]);
  expect(new StandardWebhook(key).verify(text, { ...sent, "webhook-signature": signature })).toEqual(JSON.parse(text));
  new SvixWebhook(key).verify(text, { ...sent, "webhook-signature": signature });
}

test("a failed attempt is repeated with the same id and logged with what was answered, and by whose fault", async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  receiver.answer = (_received, response) => {
    if (here().length < 3) response.writeHead(500, { "x-why": "tired", "set-cookie": "a=b" }).end("not\u0000 now");
    else response.writeHead(200).end("yes");
  };
  await emit(service, await createProject(service));
  const [delivery] = await settled(webhook_id, 1);
  expect(here().map(({ headers }) => headers["webhook-attempt"])).toEqual(["1", "2", "3"]);
  expect(new Set(here().map(({ id }) => id)).size).toBe(1);
  expect(new Set(here().map(({ text }) => text)).size).toBe(1);
  const failed = {
    fault: "receiver",
    error: "The receiver answered 500.",
    response: { status: 500, body: "not now", headers: { "x-why": "tired" } },
  };
  expect(delivery!.attempts).toMatchObject([failed, failed, { fault: null, response: { status: 200, body: "yes" } }]);
  expect(JSON.stringify(delivery)).not.toContain("set-cookie");
  // The recovery is written beside the delivery, and may come later.
  await until(async () => (await readWebhook(service, webhook_id)).failing_since === null);
  expect(await readWebhook(service, webhook_id)).toMatchObject({ status: "active", pending: 0 });
});

test("a redirect is a failure, and where nobody listens the network is at fault", async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  const nowhere = await register(service, { url: "http://127.0.0.1:9/", events });
  receiver.answer = (_received, response) => void response.writeHead(302, { location: "/elsewhere" }).end();
  await emit(service, await createProject(service));
  const [redirected] = await until(async () => {
    const found = await deliveriesOf(service, webhook_id);
    return (found[0]?.attempt_count ?? 0) > 0 && found;
  });
  expect(redirected!.attempts[0]).toMatchObject({
    fault: "receiver",
    error: "The receiver answered 302: redirects are not followed.",
  });
  const [unreached] = await until(async () => {
    const found = await deliveriesOf(service, nowhere.webhook_id);
    return (found[0]?.attempt_count ?? 0) > 0 && found;
  });
  expect(unreached!.attempts[0]).toMatchObject({ fault: "network", response: null });
  for (const id of [webhook_id, nowhere.webhook_id])
    expect((await call({ method: "DELETE", url: `/api/v1/webhooks/${id}` })).statusCode).toBe(204);
  expect(receiver.at("/elsewhere")).toEqual([]);
});

test("where order is asked for, an event waits until the one before it has arrived, and projects do not wait for each other", async () => {
  const { webhook_id } = await register(service, { url: url(), events, ordering: "project" });
  const [one, other] = [await createProject(service), await createProject(service)];
  receiver.answer = ({ body, headers }, response) => {
    const fails = body.project_id === one && body.data["line"] === 2 && Number(headers["webhook-attempt"]) < 3;
    response.writeHead(fails ? 503 : 200).end();
  };
  await emit(service, one, 4);
  await emit(service, other, 4);
  await settled(webhook_id, 8);
  const of = (project: string) => linesOf(here().filter(({ body }) => body.project_id === project));
  expect(of(one)).toEqual([1, 2, 2, 2, 3, 4]);
  expect(of(other)).toEqual([1, 2, 3, 4]);
});

test("a receiver that says it is gone is sent nothing more, and goes on where it stood when it is set active", async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  const projectId = await createProject(service);
  receiver.answer = (_received, response) => void response.writeHead(410).end();
  await emit(service, projectId);
  await until(async () => (await readWebhook(service, webhook_id)).status === "disabled");
  expect(await readWebhook(service, webhook_id)).toMatchObject({
    disabled_reason: "The receiver says that it is gone (410).",
  });
  receiver.answer = (_received, response) => void response.writeHead(200).end();
  await emit(service, projectId, 3, 2);
  const again = await register(service, { url: `${url()}/other`, events });
  await emit(service, projectId, 1, 5);
  await until(() => receiver.at(`${path}/other`).length === 1);
  expect(here()).toHaveLength(1);
  expect(await changeWebhook(service, webhook_id, { status: "active" })).toMatchObject({ status: "active" });
  await arrived(5);
  expect(linesOf(here()).toSorted()).toEqual([1, 2, 3, 4, 5]);
  expect(
    here()
      .map(({ sequence }) => sequence)
      .toSorted(),
  ).toEqual([1, 2, 3, 4, 5]);
  expect(receiver.at(`${path}/other`).map(({ sequence }) => sequence)).toEqual([1]);
  await call({ method: "DELETE", url: `/api/v1/webhooks/${again.webhook_id}` });
});

test("a receiver that keeps failing is parked, without using up attempts, and gets everything when it works again", {
  tags: "long",
}, async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  const projectId = await createProject(service);
  receiver.answer = (_received, response) => void response.writeHead(500).end();
  await emit(service, projectId, 12);
  await until(async () => (await readWebhook(service, webhook_id)).status === "parked");
  await emit(service, projectId, 3, 13);
  receiver.answer = (_received, response) => void response.writeHead(200).end();
  await settled(webhook_id, 15);
  expect(new Set(linesOf(here())).size).toBe(15);
  expect(await readWebhook(service, webhook_id)).toMatchObject({ status: "active", failing_since: null });
  const delivered = await deliveriesOf(service, webhook_id);
  expect(delivered.map(({ sequence }) => sequence).toSorted((a, b) => a! - b!)).toEqual(
    Array.from({ length: 15 }, (_, at) => at + 1),
  );
});

test("an event of a transaction that stays open while others commit is not skipped, and nothing overtakes it", async () => {
  await register(service, { url: url(), events });
  const [slow, quick] = [await createProject(service), await createProject(service)];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: isWritten, resolve: onWritten } = Promise.withResolvers<void>();
  const issue = { rule_id: "r", severity: "note", path: "a.ts", line: 1, message: "Odd.", remedy: "Mend it." };
  const open = patientTransaction(db, async (trx) => {
    await appendEvent(trx, clock, slow, emitted, issue);
    onWritten();
    await released;
  });
  await isWritten;
  await emit(service, quick, 3);
  // Long enough for the poll to have looked: what is held back must not come.
  const looks = Date.now() + 1_500;
  await until(() => Date.now() > looks);
  expect(here()).toEqual([]);
  release();
  await open;
  await arrived(4);
  expect(
    here()
      .map(({ body }) => [body.project_id, body.data["line"]])
      .toSorted(),
  ).toEqual(
    [
      [slow, 1],
      [quick, 1],
      [quick, 2],
      [quick, 3],
    ].toSorted(),
  );
});

describe("what was sent can be sent again", () => {
  test("a delivery, with the same id and sequence", async () => {
    const { webhook_id } = await register(service, { url: url(), events });
    await emit(service, await createProject(service));
    const [delivery] = await settled(webhook_id, 1);
    const again = await call({ method: "POST", url: `/api/v1/deliveries/${delivery!.delivery_id}/redeliver` });
    expect(again.statusCode).toBe(202);
    await arrived(2);
    const [first, second] = here();
    expect([second!.id, second!.sequence, second!.text]).toEqual([first!.id, first!.sequence, first!.text]);
    expect(second!.headers["webhook-attempt"]).toBe("2");
    const [shown, ...others] = await until(async () => {
      const found = await deliveriesOf(service, webhook_id, "&status=delivered");
      return found[0]?.attempt_count === 2 && found;
    });
    expect(others).toEqual([]);
    const { delivery_id, created_at, sequence } = delivery!;
    expect(shown).toMatchObject({ delivery_id, created_at, sequence, attempts: [{ number: 1 }, { number: 2 }] });
    expect((await call({ url: `/api/v1/deliveries/${delivery_id}` })).json()).toEqual(shown);
  });

  test("a range of a project's sequence, and what was written before the webhook was there", async () => {
    const projectId = await createProject(service);
    await emit(service, projectId, 2);
    const { webhook_id } = await register(service, { url: url(), events });
    await emit(service, projectId, 3, 3);
    await settled(webhook_id, 3);
    const replay = (payload: object) => call({ method: "POST", url: `/api/v1/webhooks/${webhook_id}/replay`, payload });
    const range = { project_id: projectId, sequence_from: 2, sequence_to: 3 };
    const tried = await replay({ ...range, dry_run: true });
    expect([tried.statusCode, tried.json()]).toMatchObject([
      200,
      { count: 2, dry_run: true, first: [{ sequence: 2 }, { sequence: 3 }] },
    ]);
    expect(here()).toHaveLength(3);
    expect((await replay(range)).statusCode).toBe(202);
    await arrived(5);
    expect(linesOf(here().slice(3)).toSorted()).toEqual([4, 5]);
    const all = await replay({ since: "2020-01-01T00:00:00Z", project_id: projectId });
    expect(all.json()).toMatchObject({ count: 5 });
    await arrived(10);
    const early = here().filter(({ body }) => Number(body.data["line"]) < 3);
    expect(early.map(({ sequence }) => sequence)).toEqual([undefined, undefined]);
    expect((await replay({})).json()).toMatchObject({ status: 422, errors: [{ pointer: "/since" }] });
    expect((await replay({ sequence_from: 1 })).json()).toMatchObject({ errors: [{ pointer: "/project_id" }] });
  });
});

test("a trial is answered with how it went, whatever the webhook listens to", async () => {
  const { webhook_id } = await register(service, { url: url(), events });
  const tried = await call({ method: "POST", url: `/api/v1/webhooks/${webhook_id}/test` });
  expect(tried.json<Delivery>()).toMatchObject({ status: "delivered", event: "webhook.test", project_id: "" });
  expect(here()[0]).toMatchObject({ body: { event: "webhook.test", project_id: "", data: { webhook_id } } });
  receiver.answer = (_received, response) => void response.writeHead(418).end("no");
  const failed = await call({ method: "POST", url: `/api/v1/webhooks/${webhook_id}/test` });
  expect(failed.json<Delivery>()).toMatchObject({
    status: "failed",
    reason: "The receiver answered 418.",
    next_attempt_at: null,
    attempts: [{ response: { status: 418, body: "no" } }],
  });
});

test("a webhook gets only what its owner may read", async () => {
  const { token } = await service.userToken("svc:user");
  await register(service, { url: url(), events }, token);
  const [theirs, ours] = [await createProject(service, undefined, token), await createProject(service)];
  await emit(service, ours, 2);
  await emit(service, theirs, 2);
  await arrived(2);
  expect(here().map(({ body }) => body.project_id)).toEqual([theirs, theirs]);
  const refused = await call({
    method: "POST",
    url: "/api/v1/webhooks",
    token,
    payload: { url: url(), events, secret, project_id: ours },
  });
  expect(refused.json()).toMatchObject({ status: 422, errors: [{ pointer: "/project_id" }] });
});

test("what is on its way is withheld once its owner may no longer read the project", async () => {
  const { token, userId } = await service.userToken("svc:readonly");
  const admin = await register(service, { url: url(), events });
  await sql`update webhooks set owner_id = ${userId} where id = ${admin.webhook_id}`.execute(db);
  receiver.answer = (_received, response) => void response.writeHead(500).end();
  await emit(service, await createProject(service));
  await arrived(1);
  await sql`update users set role = 'svc:user' where id = ${userId}`.execute(db);
  const [withheld] = await settled(admin.webhook_id, 1, "withheld");
  expect(withheld).toMatchObject({ reason: "The webhook's owner may not read the project." });
  expect(token).not.toBe("");
});

test("a receiver that hangs does not delay another", async () => {
  const hanging = await register(service, { url: `${url()}/hanging`, events });
  await register(service, { url: url(), events });
  const projectId = await createProject(service);
  receiver.answer = (received, response) => {
    if (!received.path.endsWith("/hanging")) response.writeHead(200).end();
  };
  await emit(service, projectId, 50);
  await arrived(50);
  expect(receiver.at(`${path}/hanging`).length).toBeLessThanOrEqual(8);
  await call({ method: "DELETE", url: `/api/v1/webhooks/${hanging.webhook_id}` });
});

test("everything that was sent here is as the API describes it", () => {
  const ajv = new Ajv2020();
  formats.default(ajv);
  const names = new Set(receiver.received.map(({ body }) => body.event));
  expect(names).toContain("webhook.test");
  for (const name of names) {
    const validate = ajv.compile(WebhookBody(name as WebhookEventName));
    for (const { body } of receiver.received)
      if (body.event === name) expect(validate(body), ajv.errorsText(validate.errors)).toBe(true);
  }
});
