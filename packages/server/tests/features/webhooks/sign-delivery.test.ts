import { createHmac } from "node:crypto";
import fc from "fast-check";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { describe, expect, test } from "vitest";
import { encodeSecret, signatureHeader, whyNoSecret, writeBody } from "../../../src/features/webhooks/sign-delivery.ts";

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
const bodyOf = (data: Record<string, unknown>) => ({
  event: "project.created" as const,
  timestamp: "2026-11-15T09:30:00.000Z",
  project_id: "proj_1",
  data,
});

describe("a body", () => {
  test("is verified by cutting its tail, and by parsing and writing it again", () => {
    fc.assert(
      fc.property(anyData, anySecret, (data, secret) => {
        const bytes = Buffer.from(writeBody(bodyOf(data), secret));
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
        const body = writeBody(bodyOf(data), secrets[0]!);
        const timestampSeconds = Math.floor(Date.now() / 1000);
        const signature = signatureHeader({ id: "evt_1", timestampSeconds, body }, secrets);
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
