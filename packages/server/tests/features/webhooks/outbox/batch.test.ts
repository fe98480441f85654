import { describe, expect, test } from "vitest";
import { Batch } from "../../../../src/features/webhooks/outbox/batch.ts";
import { maxInRun } from "../../../../src/features/webhooks/outbox/batch-store.ts";
import type { LogEvent } from "../../../../src/features/webhooks/outbox/log-store.ts";
import { storedAttempt } from "../../../support/webhooks/batches.ts";

const event = (sequence: number): LogEvent => ({
  xid: "1",
  projectId: "p",
  sequence,
  id: `evt_${sequence}`,
  name: "project.created",
  data: {},
  happenedAtMs: 0,
});
const match = { webhookId: "w", projectId: "p", version: 1, lastSequence: 7, names: null, missed: null };

describe("a run", () => {
  const batchOf = (count: number) =>
    new Batch(
      { xid: "0", projectId: "", sequence: 0 },
      Array.from({ length: count }, (_, at) => event(at + 1)),
      [match],
    );
  const arrive = (batch: Batch, body: string) => {
    const attempt = { ...storedAttempt, response: { ...storedAttempt.response!, body } };
    batch.open(batch.deliveries);
    for (const delivery of batch.deliveries)
      batch.settle(delivery, { status: "delivered", reason: null, delayMs: null, isCounted: false, attempt });
    return { ...batch.toRows(), lastSequences: batch.lastSequences };
  };

  test("is no longer than ids are apart", () => {
    const { runs, rows, lastSequences } = arrive(batchOf(2 * maxInRun + 3), "");
    expect(runs.map(({ deliveries }) => deliveries.length)).toEqual([maxInRun, maxInRun, 3]);
    expect(runs.flatMap(({ deliveries }) => deliveries.map(({ sequence }) => sequence))).toEqual(
      Array.from({ length: 2 * maxInRun + 3 }, (_, at) => at + 8),
    );
    expect([rows, lastSequences]).toEqual([[], [{ webhookId: "w", projectId: "p", last: 2 * maxInRun + 10 }]]);
  });

  test("is shorter where much was answered", () => {
    const { runs } = arrive(batchOf(300), "x".repeat(10_000));
    const lengths = runs.map(({ attempts }) => JSON.stringify(attempts).length);
    expect(Math.max(...lengths)).toBeLessThan(1_100_000);
    expect(runs.flatMap(({ deliveries }) => deliveries)).toHaveLength(300);
  });
});
