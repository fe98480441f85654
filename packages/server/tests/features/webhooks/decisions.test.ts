import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import {
  isAbandoned,
  isFailing,
  noteAttempt,
  parkMs,
  type RecentAttempts,
} from "../../../src/features/webhooks/breaker.ts";
import { HmacKey } from "../../../src/features/webhooks/hmac-key.ts";
import { judge, type Outcome, retryDelaysMs } from "../../../src/features/webhooks/schedule.ts";
import {
  encodeSecret,
  signatureHeader,
  signingSecret,
  whyNoSecret,
  writeBody,
} from "../../../src/features/webhooks/sign.ts";

const anyText = fc.oneof(fc.string({ unit: "binary" }), fc.string());
/** Keys that are no numbers: JavaScript puts those first. */
const anyKey = anyText.filter((key) => !/^\d+$/.test(key) && key !== "__proto__");
const anyData = fc.dictionary(
  anyKey,
  fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null), fc.array(anyText)),
);
const anySecret = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 64 }).map(encodeSecret),
  fc.string({ minLength: 16, maxLength: 100 }).filter((secret) => whyNoSecret(secret) === undefined),
);
const told = (data: Record<string, unknown>) => ({
  event: "project.created" as const,
  timestamp: "2026-11-15T09:30:00.000Z",
  project_id: "proj_1",
  data,
});

test("what is signed is signed as node's own HMAC does, however long the key and the text", () => {
  const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((key) => Buffer.from(key));
  const text = fc
    .tuple(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 3_000 }))
    .map(([one, n]) => one.repeat(n));
  fc.assert(
    fc.property(bytes, text, (key, signed) => {
      for (const encoding of ["hex", "base64"] as const)
        expect(new HmacKey(key).sign(signed, encoding)).toBe(createHmac("sha256", key).update(signed).digest(encoding));
    }),
  );
});

describe("a body", () => {
  test("is verified by cutting its tail, and by parsing and writing it again", () => {
    fc.assert(
      fc.property(anyData, anySecret, (data, secret) => {
        const bytes = Buffer.from(writeBody(told(data), signingSecret(secret)));
        const tail = ',"signature":"sha256="}'.length + 64;
        const cut = Buffer.concat([bytes.subarray(0, bytes.length - tail), Buffer.from("}")]);
        const { signature, ...rest } = JSON.parse(bytes.toString("utf8")) as { signature: string };
        const mac = (over: Buffer | string) => `sha256=${createHmac("sha256", secret).update(over).digest("hex")}`;
        expect(signature).toBe(mac(cut));
        expect(signature).toBe(mac(JSON.stringify(rest)));
      }),
    );
  });

  test("is signed in the header for each secret, as others verify it", () => {
    fc.assert(
      fc.property(anyData, fc.array(anySecret, { minLength: 1, maxLength: 2 }), (data, secrets) => {
        const body = writeBody(told(data), signingSecret(secrets[0]!));
        const timestampSeconds = Math.floor(Date.now() / 1000);
        const signature = signatureHeader({ id: "evt_1", timestampSeconds, body }, secrets.map(signingSecret));
        const headers = {
          "webhook-id": "evt_1",
          "webhook-timestamp": String(timestampSeconds),
          "webhook-signature": signature,
        };
        for (const secret of secrets) {
          const options = secret.startsWith("whsec_") ? {} : { format: "raw" as const };
          new StandardWebhook(secret, options).verify(body, headers);
          expect(() => new StandardWebhook(secret, options).verify(`${body} `, headers)).toThrow();
        }
      }),
    );
  });

  test.each([
    "whsec_",
    "whsec_x",
    "whsec_c2hvcnQ=",
    "whsec_not base64 at all!!",
    "a\u0000bcdefghijklmnop",
    "\ud800".repeat(16),
  ])("is not signed with the secret %j", (secret) => expect(whyNoSecret(secret)).toBeDefined());
});

const now = new Date("2026-11-15T09:30:00Z");
const answered = (status: number, retryAfter?: string): Outcome => ({ kind: "answered", status, retryAfter });

describe("after an attempt", () => {
  test("delays are those of the schedule, give or take a fifth; then it is given up", () => {
    fc.assert(
      fc.property(fc.nat({ max: 20 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, chance) => {
        const verdict = judge(answered(500), { failures, isTrial: false, now, chance });
        const base = retryDelaysMs[failures];
        if (base === undefined) expect(verdict).toMatchObject({ type: "failed", isGone: false });
        else {
          expect(verdict).toMatchObject({ type: "retry", isCounted: true });
          const { delayMs } = verdict as { delayMs: number };
          expect(delayMs).toBeGreaterThanOrEqual(base * 0.8 - 1);
          expect(delayMs).toBeLessThanOrEqual(base * 1.2 + 1);
        }
      }),
    );
    expect(retryDelaysMs.map((ms) => ms / 1000)).toEqual([
      5, 30, 120, 600, 1800, 3600, 7200, 18_000, 36_000, 50_400, 72_000, 86_400,
    ]);
  });

  test("every 2xx is success, 410 is the end, and all else is tried again", () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
        const { type } = judge(answered(status), { failures: 0, isTrial: false, now, chance: 0.5 });
        expect(type).toBe(status >= 200 && status < 300 ? "delivered" : status === 410 ? "failed" : "retry");
      }),
    );
  });

  test("it is not tried before the receiver asks for it, nor later than a day because of that", () => {
    const delayAfter = (retryAfter: string) =>
      (judge(answered(503, retryAfter), { failures: 0, isTrial: false, now, chance: 0.5 }) as { delayMs: number })
        .delayMs;
    expect(delayAfter("120")).toBe(120_000);
    expect(delayAfter("1")).toBe(5_000);
    expect(delayAfter("Sun, 15 Nov 2026 09:40:00 GMT")).toBe(600_000);
    expect(delayAfter("Sun, 15 Nov 2020 09:40:00 GMT")).toBe(5_000);
    expect(delayAfter("999999999")).toBe(24 * 3600_000);
  });

  test("neither a trial of a parked webhook nor a fault of ours uses up attempts", () => {
    const ours: Outcome = { kind: "unanswered", fault: "us", error: "x" };
    for (const [outcome, isTrial] of [
      [answered(500), true],
      [ours, false],
    ] as const)
      for (const failures of [0, 5, 12, 50])
        expect(judge(outcome, { failures, isTrial, now, chance: 0.5 })).toMatchObject({
          type: "retry",
          isCounted: false,
        });
  });
});

describe("a receiver is left alone", () => {
  const minute = 60_000;
  const record = (outcomes: readonly (readonly [atMs: number, hasArrived: boolean])[]) =>
    outcomes.reduce<RecentAttempts>((sum, [atMs, hasArrived]) => noteAttempt(sum, atMs, hasArrived), []);

  test("exactly when 7 of 10 or more attempts of the last five minutes failed", () => {
    const anyAttempts = fc.array(fc.tuple(fc.nat({ max: 9 * minute }), fc.boolean()), { maxLength: 60 });
    fc.assert(
      fc.property(anyAttempts, (attempts) => {
        const sorted = attempts.toSorted(([a], [b]) => a - b);
        const nowMs = 9 * minute + 1;
        const recent = sorted.filter(([atMs]) => Math.floor(atMs / minute) > Math.floor(nowMs / minute) - 5);
        const failed = recent.filter(([, hasArrived]) => !hasArrived).length;
        expect(isFailing(record(sorted), nowMs)).toBe(recent.length >= 10 && failed >= recent.length * 0.7);
        expect(record(sorted).length).toBeLessThanOrEqual(6);
      }),
    );
  });

  test("longer each time, up to an hour, and for good after five days", () => {
    expect([0, 1, 2, 5, 6, 100].map((parks) => parkMs(parks) / minute)).toEqual([1, 2, 4, 32, 60, 60]);
    expect(isAbandoned(now, new Date(now.getTime() + 5 * 24 * 60 * minute - 1))).toBe(false);
    expect(isAbandoned(now, new Date(now.getTime() + 5 * 24 * 60 * minute))).toBe(true);
  });
});
