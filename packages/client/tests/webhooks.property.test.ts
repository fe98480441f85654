// @module-tag soak

import { createHmac } from "node:crypto";
import { webhookEventNames } from "@slipway/contract";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { soakRuns } from "../../../tools/soak-runs.ts";
import {
  signWebhook,
  type UnsignedEvent,
  verifyWebhook,
  verifyWebhookBody,
  WebhookVerificationError,
  writeWebhookBody,
} from "../src/index.ts";

const at = new Date("2026-11-15T09:30:00.000Z");
const timestamp = at.getTime() / 1000;

const plainSecret = fc.string({ unit: "binary", minLength: 16, maxLength: 60 }).filter((text) => !/^whsec_/.test(text));
const encodedSecret = fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => `whsec_${base64(bytes)}`);
const secret = fc.oneof(plainSecret, encodedSecret);
const unsigned = fc.record({
  event: fc.constantFrom(...webhookEventNames),
  timestamp: fc.constant(at.toISOString()),
  project_id: fc.string({ unit: "binary" }),
  data: fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4, noNullPrototype: true }),
});
const id = fc.stringMatching(/^evt_[0-9a-z]{20}$/);
const delivery = fc.record({ secret, unsigned, id });

/** The scheme, written a second time: as the service and others' libraries have it. */
function signedElsewhere({ secret: text, unsigned: event, id: eventId }: Delivery) {
  const { event: eventName, timestamp, project_id, data } = event;
  const bare = JSON.stringify({ event: eventName, timestamp, project_id, data });
  const hex = createHmac("sha256", Buffer.from(text, "utf8")).update(bare).digest("hex");
  const body = `${bare.slice(0, -1)},"signature":"sha256=${hex}"}`;
  const key = text.startsWith("whsec_") ? Buffer.from(text.slice(6), "base64") : Buffer.from(text, "utf8");
  const seconds = String(at.getTime() / 1000);
  const signature = createHmac("sha256", key).update(`${eventId}.${seconds}.${body}`).digest("base64");
  const headers = { "webhook-id": eventId, "webhook-timestamp": seconds, "webhook-signature": `v1,${signature}` };
  return { headers, body };
}

interface Delivery {
  readonly secret: string;
  readonly unsigned: UnsignedEvent;
  readonly id: string;
}

describe("every delivery", () => {
  test("is signed as the scheme says, and found right", async () => {
    await fc.assert(
      fc.asyncProperty(delivery, async (one) => {
        const elsewhere = signedElsewhere(one);
        const body = await writeWebhookBody(one.secret, one.unsigned);
        expect(body).toBe(elsewhere.body);
        expect(await signWebhook(one.secret, { id: one.id, timestamp, body })).toEqual(elsewhere.headers);
        const event = await verifyWebhook(one.secret, elsewhere.headers, Buffer.from(body), { now: at });
        expect(event).toEqual(JSON.parse(body));
        expect(await verifyWebhookBody(one.secret, body)).toEqual(event);
      }),
    );
  });

  test("is refused with any bit of its body or headers flipped", async () => {
    await fc.assert(
      fc.asyncProperty(delivery, fc.nat(), async (one, position) => {
        const { headers, body } = signedElsewhere(one);
        const parts = [...Object.values(headers), body].map((text) => Buffer.from(text));
        const flipped = flipBit(parts, position);
        // What is no UTF-8 any more cannot be a header's text; as latin1 it can, as servers read it.
        const [changedId, timestamp, signature] = flipped.slice(0, 3).map((bytes) => bytes.toString("latin1"));
        const changed = { "webhook-id": changedId, "webhook-timestamp": timestamp, "webhook-signature": signature };
        const verifying = verifyWebhook(one.secret, changed, flipped[3]!, { now: at });
        await expect(verifying).rejects.toBeInstanceOf(WebhookVerificationError);
      }),
      { numRuns: soakRuns(500) },
    );
  });

  test("is refused by the signature in its body with any bit of that flipped", async () => {
    await fc.assert(
      fc.asyncProperty(delivery, fc.nat(), async (one, position) => {
        const [flipped] = flipBit([Buffer.from(signedElsewhere(one).body)], position);
        await expect(verifyWebhookBody(one.secret, flipped!)).rejects.toBeInstanceOf(WebhookVerificationError);
      }),
      { numRuns: soakRuns(500) },
    );
  });

  test("is refused with another secret, and found right with several of which one is right", async () => {
    await fc.assert(
      fc.asyncProperty(delivery, async (one) => {
        // Any other will not do: keys that differ only in zeros at their end are the same to HMAC.
        const other = `another ${one.secret}`;
        const { headers, body } = signedElsewhere(one);
        await expect(verifyWebhook(other, headers, body, { now: at })).rejects.toMatchObject({ code: "bad_signature" });
        await expect(verifyWebhookBody(other, body)).rejects.toMatchObject({ code: "bad_signature" });
        await verifyWebhook([other, one.secret], headers, body, { now: at });
        await verifyWebhookBody([other, one.secret], body);
      }),
    );
  });
});

test("whatever is sent as headers and body is refused in order", async () => {
  const anything = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("v1,", "v1,=", "v1,AA== v1,", "1e3", "-1"));
  const header = fc.option(fc.oneof(anything, fc.array(anything)), { nil: undefined });
  await fc.assert(
    fc.asyncProperty(header, header, header, fc.uint8Array(), async (eventId, timestamp, signature, body) => {
      const headers = { "Webhook-Id": eventId, "webhook-timestamp": timestamp, "webhook-signature": signature };
      const verifying = verifyWebhook("a secret of ours", headers, body);
      await expect(verifying).rejects.toBeInstanceOf(WebhookVerificationError);
      await expect(verifyWebhookBody("a secret of ours", body)).rejects.toBeInstanceOf(WebhookVerificationError);
    }),
  );
});

/** All parts, with one bit of one of them flipped. */
function flipBit(parts: readonly Buffer[], position: number): Buffer[] {
  const bits = parts.reduce((sum, { length }) => sum + length * 8, 0);
  let bit = position % bits;
  return parts.map((part) => {
    const copy = Buffer.from(part);
    if (bit >= 0 && bit < part.length * 8) copy[bit >> 3]! ^= 1 << (bit & 7);
    bit -= part.length * 8;
    return copy;
  });
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("base64");
}
