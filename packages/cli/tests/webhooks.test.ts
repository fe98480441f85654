import type { Delivery, ReplayReport, Webhook } from "@slipway/contract";
import { webhookEventNames } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { durationSeconds, pointInTime } from "../src/output/read-time.ts";
import { forwardAddress } from "../src/webhooks/forward-address.ts";
import { sequenceRange } from "../src/webhooks/sequence-range.ts";
import { FakeService, problem } from "./fake-service.ts";
import { slipway } from "./run-slipway.ts";

const webhookId = "wh_01kaw3v9t2h5m8q1x7zc";
const deliveryId = "dlv_01kaw3v9t2h5m8q1x7zc";
const at = "2026-11-15T09:30:00.000Z";
const path = `/api/v1/webhooks/${webhookId}`;
const webhook: Webhook = {
  webhook_id: webhookId,
  url: "https://hooks.example.com/slipway",
  events: ["project.created", "project.failed"],
  project_id: null,
  ordering: "project",
  description: "Tells the chat\u001b room",
  status: "parked",
  parked_until: at,
  disabled_reason: null,
  failing_since: at,
  pending: 1,
  owner_id: "usr_1",
  team_id: null,
  old_secret_until: null,
  created_at: at,
  updated_at: at,
};
const delivery: Delivery = {
  delivery_id: deliveryId,
  webhook_id: webhookId,
  event_id: "evt_1",
  event: "project.created",
  project_id: "proj_1",
  sequence: 4,
  status: "pending",
  reason: null,
  attempt_count: 3,
  next_attempt_at: at,
  created_at: at,
  delivered_at: null,
  attempts: [
    {
      number: 2,
      at,
      duration_ms: 5000,
      connect_ms: null,
      request: { url: webhook.url, headers: { "webhook-id": "evt_1" }, body_bytes: 120, body_sha256: "ab" },
      response: null,
      fault: "network",
      error: "It cannot be reached.",
    },
    {
      number: 3,
      at,
      duration_ms: 51,
      connect_ms: 20,
      request: { url: webhook.url, headers: { "webhook-id": "evt_1" }, body_bytes: 120, body_sha256: "ab" },
      response: { status: 500, headers: { server: "x\u009b" }, body: "Oh\nno" },
      fault: "receiver",
      error: "It answered 500.",
    },
  ],
};

describe("slipway webhooks", () => {
  test("list shows a table, and as JSON what the API answers", async () => {
    const service = await new FakeService().listen();
    const page = { webhooks: [webhook], next_cursor: "abc" };
    service.answer("GET /api/v1/webhooks", page);
    const { code, out, err } = await slipway(["webhooks", "list", "--limit", "1"], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`ID                       URL                                STATUS  WAITING  PROJECT  EVENTS
${webhookId}  https://hooks.example.com/slipway  parked  1        all      project.created, project.failed
`);
    expect(err).toBe("More: slipway webhooks list --cursor abc\n");
    expect(service.asked[0]?.url).toBe("/api/v1/webhooks?limit=1");
    expect(JSON.parse((await slipway(["webhooks", "list", "--json"], { env: service.env })).out)).toEqual(page);
  });

  test("show prints a webhook's settings and status, without control characters", async () => {
    const service = await new FakeService().listen();
    service.answer(`GET ${path}`, webhook);
    const { code, out } = await slipway(["webhooks", "show", webhookId], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`https://hooks.example.com/slipway  ${webhookId}
parked until ${at}, failing since ${at}; no event is lost

description: Tells the chat\ufffd room
events:      project.created, project.failed
project:     all that the owner can read
ordering:    by project
waiting:     1 delivery
owner:       usr_1
created:     ${at}
changed:     ${at}
`);
    service.answer(`GET ${path}`, { ...webhook, status: "disabled", disabled_reason: "It said 410." });
    expect((await slipway(["webhooks", "show", webhookId], { env: service.env })).out).toContain(
      "disabled: It said 410.",
    );
    const json = await slipway(["webhooks", "show", webhookId, "--json"], { env: service.env });
    expect(JSON.parse(json.out)).toMatchObject({ status: "disabled" });
  });

  test("create generates a secret and shows it once, or reads one from standard input and never shows it", async () => {
    const service = await new FakeService().listen();
    service.answer("POST /api/v1/webhooks", () => ({ status: 201, body: webhook }));
    const args = ["webhooks", "create", webhook.url, "--events", "project.created, project.failed"];
    const made = await slipway([...args, "--ordering", "project"], { env: service.env });
    expect(made.code).toBe(0);
    const secret = /shown only once:\n(whsec_[A-Za-z0-9+/]{32})\n$/.exec(made.out)?.[1];
    expect(JSON.parse(service.asked[0]?.body ?? "")).toEqual({
      url: webhook.url,
      events: ["project.created", "project.failed"],
      secret,
      ordering: "project",
    });
    const json = JSON.parse((await slipway([...args, "--json"], { env: service.env })).out);
    expect(json).toEqual({ ...webhook, secret: JSON.parse(service.asked[1]?.body ?? "").secret });
    const given = await slipway([...args, "--secret", "-", "--project", "proj_1", "--description", "chat"], {
      env: service.env,
      input: "a secret of ours\n",
    });
    expect(given.code).toBe(0);
    expect(given.out).not.toContain("secret");
    expect(JSON.parse(service.asked[2]?.body ?? "")).toMatchObject({
      secret: "a secret of ours",
      project_id: "proj_1",
      description: "chat",
    });
  });

  test("change, enable, disable and delete do what they say, and nothing else", async () => {
    const service = await new FakeService().listen();
    service.answer(`PATCH ${path}`, webhook).answer(`DELETE ${path}`, () => ({ status: 204, body: "" }));
    const call = (...args: string[]) => slipway(["webhooks", ...args], { env: service.env });
    const sent = async (...args: string[]) => {
      expect(await call(...args)).toMatchObject({ code: 0, err: "" });
      return JSON.parse(service.asked.at(-1)?.body ?? "");
    };
    expect(await sent("change", webhookId, "--webhook-url", "https://b.example.com", "--events", "*")).toEqual({
      url: "https://b.example.com",
      events: ["*"],
    });
    expect(await sent("change", webhookId, "--all-projects", "--description", "")).toEqual({
      project_id: null,
      description: "",
    });
    expect(await sent("enable", webhookId)).toEqual({ status: "active" });
    expect(await sent("disable", webhookId)).toEqual({ status: "disabled" });
    expect(await call("delete", webhookId)).toMatchObject({ code: 0, out: `${webhookId} is deleted\n` });
  });

  test("rotate-secret shows a generated secret, and how long the old one stays valid", async () => {
    const service = await new FakeService().listen();
    const rotated = { webhook_id: webhookId, secret: "whsec_new", old_secret_until: at };
    service.answer(`POST ${path}/rotate-secret`, rotated);
    const { code, out } = await slipway(["webhooks", "rotate-secret", webhookId, "--overlap", "2h"], {
      env: service.env,
    });
    expect([code, out]).toEqual([
      0,
      `${webhookId} has a new secret; the old one stays valid until ${at}\n\nThe new secret, shown only once:\nwhsec_new\n`,
    ]);
    expect(JSON.parse(service.asked[0]?.body ?? "")).toEqual({ overlap_seconds: 7200 });
    service.answer(`POST ${path}/rotate-secret`, { ...rotated, secret: null });
    const given = await slipway(["webhooks", "rotate-secret", webhookId, "--secret", "a secret of ours"], {
      env: service.env,
    });
    expect(given.out).toBe(`${webhookId} has a new secret; the old one stays valid until ${at}\n`);
  });

  test("deliveries asks for what the options say, and shows the last answer", async () => {
    const service = await new FakeService().listen();
    service.answer(`GET ${path}/deliveries`, { deliveries: [delivery], next_cursor: null });
    const args = ["--status", "pending", "--event", "project.created", "--project", "proj_1", "--sequence", "4-"];
    const { code, out } = await slipway(["webhooks", "deliveries", webhookId, ...args], { env: service.env });
    expect(code).toBe(0);
    expect(out.split("\n")[1]).toBe(
      `${deliveryId}  project.created  proj_1   4         pending  3         500            ${at}`,
    );
    expect(service.asked[0]?.url).toBe(
      `${path}/deliveries?status=pending&event=project.created&project_id=proj_1&sequence_from=4`,
    );
  });

  test("delivery shows each attempt: request, response, timing and cause of failure", async () => {
    const service = await new FakeService().listen();
    service.answer(`GET /api/v1/deliveries/${deliveryId}`, delivery);
    const { code, out } = await slipway(["webhooks", "delivery", deliveryId], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`project.created  ${deliveryId}
pending

webhook:      ${webhookId}
event:        evt_1
project:      proj_1
sequence:     4
created:      ${at}
next attempt: ${at}

1 earlier attempt is no longer stored

ATTEMPT 2  ${at}  no answer after 5000 ms
  network error: It cannot be reached.
  > POST https://hooks.example.com/slipway
  > webhook-id: evt_1
  > 120 bytes, sha256 ab

ATTEMPT 3  ${at}  answered 500 after 51 ms (20 ms to connect)
  receiver error: It answered 500.
  > POST https://hooks.example.com/slipway
  > webhook-id: evt_1
  > 120 bytes, sha256 ab
  < 500
  < server: x\ufffd
  < Oh
  < no
`);
    const json = await slipway(["webhooks", "delivery", deliveryId, "--json"], { env: service.env });
    expect(JSON.parse(json.out)).toEqual(delivery);
  });

  test("test ends with 1 if the test event was not delivered, else with 0", async () => {
    const service = await new FakeService().listen();
    service.answer(`POST ${path}/test`, delivery);
    const failed = await slipway(["webhooks", "test", webhookId], { env: service.env });
    expect(failed.code).toBe(1);
    expect(failed.out).toContain("receiver error: It answered 500.");
    service.answer(`POST ${path}/test`, { ...delivery, status: "delivered" });
    expect((await slipway(["webhooks", "test", webhookId], { env: service.env })).code).toBe(0);
  });

  test("redeliver and replay say what is sent again", async () => {
    const service = await new FakeService().listen();
    service.answer(`POST /api/v1/deliveries/${deliveryId}/redeliver`, () => ({ status: 202, body: delivery }));
    const again = await slipway(["webhooks", "redeliver", deliveryId], { env: service.env });
    expect(again).toMatchObject({ code: 0, out: `${deliveryId} is sent again (project.created to ${webhookId})\n` });
    const report: ReplayReport = {
      webhook_id: webhookId,
      dry_run: true,
      count: 3,
      first: [{ event_id: "evt_1", event: "project.created", project_id: "proj_1", sequence: null, timestamp: at }],
    };
    service.answer(`POST ${path}/replay`, report);
    const args = ["webhooks", "replay", webhookId];
    const replay = await slipway([...args, "--since", at, "--events", "project.created", "--dry-run"], {
      env: service.env,
    });
    expect(replay.out).toBe(`3 events would be sent
EVENT ID  EVENT            PROJECT  SEQUENCE  TIME
evt_1     project.created  proj_1             ${at}
and 2 more
`);
    const sent = () => JSON.parse(service.asked.at(-1)?.body ?? "");
    expect(sent()).toEqual({ since: at, events: ["project.created"], dry_run: true });
    await slipway([...args, "--project", "proj_1", "--sequence", "4-6"], { env: service.env });
    expect(sent()).toEqual({ project_id: "proj_1", sequence_from: 4, sequence_to: 6 });
    const before = Date.now();
    await slipway([...args, "--since", "2h", "--until", "2026-11-15"], { env: service.env });
    expect(Date.parse(sent().since)).toBeGreaterThanOrEqual(before - 2 * 3600_000);
    expect(Date.parse(sent().since)).toBeLessThanOrEqual(Date.now() - 2 * 3600_000);
    expect(sent().until).toBe("2026-11-15T00:00:00.000Z");
  });

  test("events needs no service: names and meanings, as JSON with schemas", async () => {
    const { code, out } = await slipway(["webhooks", "events"], { env: { SLIPWAY_URL: "http://slipway.invalid" } });
    expect(code).toBe(0);
    expect(out).toContain("project.failed             A project failed.\n");
    const { events } = JSON.parse((await slipway(["webhooks", "events", "--json"])).out);
    expect(events.map(({ event }: { event: string }) => event)).toEqual(webhookEventNames);
    expect(events[0]).toMatchObject({ schema: { properties: { event: { const: "project.created" } } } });
  });

  test("a refusal of the service ends with 3 or 4, with its message", async () => {
    const service = await new FakeService().listen();
    const refusal = problem(400, "invalid_body", "The address leads into a private network.");
    service.answer("POST /api/v1/webhooks", () => ({ status: 400, body: refusal }));
    const refused = await slipway(["webhooks", "create", "http://10.0.0.1", "--events", "*"], { env: service.env });
    expect(refused).toMatchObject({ code: 3, out: "", err: `slipway: ${refusal.detail}\n` });
    expect((await slipway(["webhooks", "show", "wh_none"], { env: service.env })).code).toBe(4);
  });
});

test.for([
  [["show"], "missing required argument 'webhook-id'"],
  [["create", "https://a.example.com"], "required option '--events <list>' not specified"],
  [["create", "https://a.example.com", "--events", ","], "--events is empty"],
  [["change", "wh_1"], "give at least one setting to change"],
  [["change", "wh_1", "--project", "p", "--all-projects"], "exclude each other"],
  [["replay", "wh_1"], "choose events with --since, or with --project and --sequence"],
  [["listen", "--print", "all"], "--print must be line or body, not 'all'"],
  [["listen", "--secret", "a secret of ours"], "--secret requires --forward-to"],
  [["listen", "--secret", "whsec_!", "--forward-to", "http://127.0.0.1"], "base64 must follow 'whsec_'"],
] as const)("a wrong call, webhooks %o, ends with 2 and says what is wrong", async ([args, message]) => {
  const env = { SLIPWAY_URL: "http://slipway.invalid", SLIPWAY_TOKEN: "t" };
  const { code, out, err } = await slipway(["webhooks", ...args], { env });
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(message);
});

test("a time is a date, or a duration before now", () => {
  expect(["90s", "30m", "2h", "7d"].map((text) => durationSeconds("--overlap", text))).toEqual([
    90, 1800, 7200, 604800,
  ]);
  const now = new Date(at);
  expect(pointInTime("--since", "90s", now)).toBe("2026-11-15T09:28:30.000Z");
  expect(pointInTime("--since", "2026-11-15T10:30:00+02:00", now)).toBe("2026-11-15T08:30:00.000Z");
  for (const text of ["", "2", "h", "2 h", "-2h", "2w", "yesterday", "2026-13-01", "1e3s"]) {
    expect(() => durationSeconds("--overlap", text)).toThrow("--overlap must be a duration such as 90s, 30m, 2h or 7d");
    expect(() => pointInTime("--since", text, now)).toThrow("--since must be a time such as");
  }
});

test("a sequence range has a start, an end, or both", () => {
  const ranges = ["5-9", "5-", "-9", "7"].map((sequence) => sequenceRange({ sequence }));
  expect(ranges).toEqual([
    { sequence_from: 5, sequence_to: 9 },
    { sequence_from: 5 },
    { sequence_to: 9 },
    { sequence_from: 7, sequence_to: 7 },
  ]);
  expect(sequenceRange({})).toEqual({});
  for (const sequence of ["", "-", "a-b", "1-2-3", "1.5", "9".repeat(16)])
    expect(() => sequenceRange({ sequence })).toThrow("--sequence must be a range such as 5-9, 5- or 7");
});

test("deliveries are forwarded only within this machine", () => {
  const here = [
    "http://localhost:3000/a",
    "http://127.0.0.1",
    "https://127.9.9.9/",
    "http://[::1]:1/",
    "http://2130706433/",
  ];
  for (const address of here) expect(forwardAddress(address)).toBeInstanceOf(URL);
  const elsewhere = [
    "http://example.com/",
    "http://127.0.0.1.example.com/",
    "http://10.0.0.1/",
    "ftp://127.0.0.1/",
    "a",
  ];
  for (const address of elsewhere)
    expect(() => forwardAddress(address)).toThrow("--forward-to must be an address on this machine");
});
