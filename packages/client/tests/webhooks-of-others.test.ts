import { exampleEvents } from "@slipway/contract";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { expect, test } from "vitest";
import { signWebhook, verifyWebhook, writeWebhookBody } from "../src/index.ts";

const secret = "whsec_c2xpcHdheS1leGFtcGxlLXNlY3JldC0x";
const body = await writeWebhookBody(secret, { event: "project.failed", ...exampleEvents["project.failed"] });
const at = new Date(Math.floor(Date.now() / 1000) * 1000);
const timestamp = at.getTime() / 1000;

test.for([
  ["standardwebhooks", new StandardWebhook(secret)],
  ["svix", new SvixWebhook(secret)],
] as const)("what %s signs is found right here, and what is signed here is found right there", async ([, library]) => {
  const theirs = { "webhook-id": "evt_1", "webhook-timestamp": String(timestamp), "webhook-signature": "" };
  theirs["webhook-signature"] = library.sign("evt_1", at, body);
  expect(await verifyWebhook(secret, theirs, body)).toEqual(JSON.parse(body));
  const ours = await signWebhook([`${secret.slice(0, -1)}y`, secret], { id: "evt_1", timestamp, body });
  expect(ours["webhook-signature"].split(" ")[1]).toBe(theirs["webhook-signature"]);
  // They throw where it is wrong; not all of them answer the event where it is right.
  library.verify(body, ours);
  expect(() => library.verify(`${body} `, ours)).toThrow();
});
