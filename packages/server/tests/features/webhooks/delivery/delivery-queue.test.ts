import { expect, onTestFinished, test } from "vitest";
import { DeliveryQueue } from "../../../../src/features/webhooks/delivery/delivery-queue.ts";
import type { DeliveryOwner } from "../../../../src/features/webhooks/delivery/webhook-queue.ts";
import type { Dialler } from "../../../../src/platform/network/index.ts";
import { countLoops } from "../../../support/count-loops.ts";
import { quietLog } from "../../../support/database/quiet-log.ts";
import { until } from "../../../support/until.ts";

const count = 60;
const nothing = () => undefined;
/** Signing as much takes some milliseconds. */
const data = { text: "x".repeat(300_000) };

test("large events for many webhooks are signed in turns, and all of them are posted", async () => {
  const loops = countLoops();
  onTestFinished(loops.stop);
  const posted: number[] = [];
  const post: Dialler["post"] = (_url, _request, { onAnswer }) => {
    posted.push(loops.now());
    setImmediate(() => onAnswer({ status: 204, headers: {}, body: Buffer.alloc(0) } as never));
    return { abort: nothing } as never;
  };
  const queue = new DeliveryQueue({
    ...{ clock: { now: () => new Date(0) } as never, log: quietLog as never, userAgent: "slipway", leaseMs: 60_000 },
    dialler: { post, connectedSince: nothing },
    metrics: { deliveries: { inc: nothing }, deliveryLag: { observe: nothing } } as never,
    ...{ scaleDelay: (ms) => ms, updateHealth: nothing, onCapacity: nothing },
  });
  let settled = 0;
  const owner: DeliveryOwner = {
    settle: () => {
      settled += 1;
    },
    release: nothing,
  };
  const secrets = { secret: "a secret of a webhook", oldSecret: undefined, oldSecretUntil: undefined };
  for (let at = 0; at < count; at += 1) {
    const webhookId = `webhook_${at}`;
    queue.of(webhookId).endpoint = {
      ...{ ...secrets, id: webhookId, version: 1, url: new URL("https://example.com/"), isParked: false },
      ...{ failingSince: undefined, parks: 0, keepsOrder: false },
    };
    queue.add({
      ...{ webhookId, eventId: "evt_1", event: "project.created", projectId: "proj_1", sequence: 1, data },
      ...{ happenedAt: new Date(0), attemptCount: 0, failures: 0, claimedAtMs: performance.now(), isTrial: false },
      ...{ owner, lease: undefined },
    });
  }
  queue.start();
  await until(() => settled === count);
  expect(posted).toHaveLength(count);
  expect(new Set(posted).size).toBeGreaterThan(5);
});
