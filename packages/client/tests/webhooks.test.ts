import type { ServerResponse } from "node:http";
import { exampleEvents } from "@slipway/contract";
import { describe, expect, expectTypeOf, test } from "vitest";
import {
  createClient,
  listenWebhooks,
  signWebhook,
  verifyWebhook,
  verifyWebhookBody,
  type WebhookEvent,
  writeWebhookBody,
} from "../src/index.ts";
import { serveHttp } from "./serve-http.ts";

const secret = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x";
const other = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0y";
const at = new Date("2026-11-15T09:30:00.000Z");
const timestamp = at.getTime() / 1000;
const name = "project.phase_completed";
const body = await writeWebhookBody(secret, { event: name, ...exampleEvents[name] });
const headers = await signWebhook(secret, { id: "evt_1", timestamp, body });
const secondsAfter = (seconds: number) => new Date(at.getTime() + seconds * 1000);

describe("verifying a webhook", () => {
  test("answers its event, typed by its name", async () => {
    const event = await verifyWebhook(secret, headers, body, { now: at });
    expect(event).toMatchObject({ event: name, ...exampleEvents[name] });
    if (event.event !== name) throw new Error("It is another event.");
    expectTypeOf(event.data.next_phase).toEqualTypeOf<string>();
    expectTypeOf<Extract<WebhookEvent, { event: "project.failed" }>["data"]["phase"]>().toEqualTypeOf<string>();
  });

  test("takes headers as any server has them", async () => {
    const shouted = Object.fromEntries(Object.entries(headers).map(([key, value]) => [key.toUpperCase(), value]));
    const another = { get: (key: string) => new Headers(headers).get(key) };
    for (const given of [headers, new Headers(headers), another, shouted])
      await verifyWebhook(secret, given, Buffer.from(body), { now: at });
  });

  test("keeps to the tolerance, into the past and the future", async () => {
    await verifyWebhook(secret, headers, body, { now: secondsAfter(300) });
    await verifyWebhook(secret, headers, body, { now: secondsAfter(-300) });
    await verifyWebhook(secret, headers, body, { now: secondsAfter(3000), toleranceSeconds: 3000 });
    const late = verifyWebhook(secret, headers, body, { now: secondsAfter(301) });
    await expect(late).rejects.toMatchObject({ code: "stale", message: "The delivery was sent 301 seconds ago." });
    const early = verifyWebhook(secret, headers, body, { now: secondsAfter(-301) });
    await expect(early).rejects.toMatchObject({ code: "too_early" });
    // By the clock of this machine, where none is given.
    await expect(verifyWebhook(secret, headers, body)).rejects.toMatchObject({
      code: expect.stringMatching(/stale|too_early/),
    });
  });

  test("finds its own among several signatures and unknown versions", async () => {
    const both = await signWebhook([other, secret], { id: "evt_1", timestamp, body });
    for (const one of [secret, other]) await verifyWebhook(one, both, body, { now: at });
    const future = { ...headers, "webhook-signature": `v2,AAAA ${headers["webhook-signature"]} v1a,BBBB` };
    await verifyWebhook(secret, future, body, { now: at });
    const renamed = { ...headers, "webhook-signature": headers["webhook-signature"].replace("v1", "v2") };
    await expect(verifyWebhook(secret, renamed, body, { now: at })).rejects.toMatchObject({ code: "bad_signature" });
  });

  test("does not let itself be kept busy by many signatures", async () => {
    const wrong = (await signWebhook(other, { id: "evt_1", timestamp, body }))["webhook-signature"];
    const many = { ...headers, "webhook-signature": `${`${wrong} `.repeat(10)}${headers["webhook-signature"]}` };
    await expect(verifyWebhook(secret, many, body, { now: at })).rejects.toMatchObject({ code: "bad_signature" });
  });

  test.for([
    ["missing_header", { "webhook-id": undefined }],
    ["missing_header", { "webhook-timestamp": "" }],
    ["missing_header", { "webhook-signature": undefined }],
    ["malformed_header", { "webhook-signature": ["v1,AA==", "v1,AA=="] }],
    ["malformed_header", { "webhook-timestamp": "2026-11-15T09:30:00Z" }],
    ["bad_signature", { "webhook-id": "evt_2" }],
    ["bad_signature", { "webhook-signature": "AA==" }],
  ] as const)("says %s where the headers are %o", async ([code, changed]) => {
    await expect(verifyWebhook(secret, { ...headers, ...changed }, body, { now: at })).rejects.toMatchObject({ code });
  });

  test("says what is wrong with a body that was signed and is no event", async () => {
    for (const odd of ["", "[]", "null", '{"event":1}', `${body.slice(0, -1)}`]) {
      const signed = await signWebhook(secret, { id: "evt_1", timestamp, body: odd });
      await expect(verifyWebhook(secret, signed, odd, { now: at })).rejects.toMatchObject({ code: "malformed_body" });
    }
    await expect(verifyWebhookBody(secret, '{"event":"a"}')).rejects.toMatchObject({ code: "malformed_body" });
  });

  test.for([[""], [[]], ["whsec_"], ["whsec_not base64"], [["", secret]]] as const)(
    "says that the secret %o cannot be used",
    async ([unusable]) => {
      await expect(verifyWebhook(unusable, headers, body, { now: at })).rejects.toMatchObject({ code: "bad_secret" });
    },
  );

  test("takes an event that it does not know yet", async () => {
    const newer = await writeWebhookBody(secret, { ...exampleEvents[name], event: "project.painted" });
    const signed = await signWebhook(secret, { id: "evt_1", timestamp, body: newer });
    expect(await verifyWebhook(secret, signed, newer, { now: at })).toMatchObject({ event: "project.painted" });
  });
});

describe("listening to deliveries", () => {
  const sse = (event: string, id: string, data: object) =>
    `event: ${event}\n${id === "" ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
  const begin = (response: ServerResponse, ...events: string[]) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (const event of events) response.write(event);
  };

  test("goes on after the last delivery when the connection breaks, with the new connection's secret", async () => {
    const delivery = (id: string) => sse("delivery", id, { headers: { "webhook-id": id }, body: id });
    const server = await serveHttp((_, response, count) => {
      if (count === 1) begin(response, sse("secret", "p.0", { secret: "one" }));
      if (count === 2) begin(response, sse("secret", "p.0", { secret: "two" }), delivery("p.7"));
      if (count === 3) begin(response, sse("secret", "", { secret: "three" }), delivery("p.7"), delivery("p.9"));
      if (count < 3) response.end();
    });
    const got: string[] = [];
    const query = { events: "project.created", project_id: "proj_1" };
    for await (const { headers: seen, body: text, secret: used } of listenWebhooks(
      createClient({ url: server.url, token: "t" }),
      { query },
    )) {
      got.push(`${seen["webhook-id"]} ${text} ${used}`);
      if (got.length === 2) break;
    }
    expect(got).toEqual(["p.7 p.7 two", "p.9 p.9 three"]);
    expect(server.received.map(({ headers: asked }) => asked["last-event-id"])).toEqual([undefined, "p.0", "p.7"]);
    expect(server.received[0]).toMatchObject({
      url: "/api/v1/webhooks/stream?events=project.created&project_id=proj_1",
      headers: { accept: "text/event-stream", authorization: "Bearer t" },
    });
  });
});
