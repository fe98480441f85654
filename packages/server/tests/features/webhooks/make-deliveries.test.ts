import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Batch } from "../../../src/features/webhooks/outbox/batch.ts";
import type { LogEvent, Match } from "../../../src/features/webhooks/outbox/log-store.ts";
import { makeDeliveries } from "../../../src/features/webhooks/outbox/make-deliveries.ts";
import { maxInRun } from "../../../src/features/webhooks/outbox/store.ts";
import { kept } from "../../support/webhooks/batches.ts";

const event = (projectId: string, sequence: number, name: LogEvent["name"] = "project.created"): LogEvent => ({
  xid: "1",
  projectId,
  sequence,
  id: `evt_${projectId}_${sequence}`,
  name,
  data: {},
  happenedAt: new Date(0),
});
const match = (webhookId: string, projectId: string, more: Partial<Match> = {}): Match => ({
  webhookId,
  projectId,
  version: 1,
  keepsOrder: false,
  counted: 0,
  names: undefined,
  missed: undefined,
  ...more,
});
const made = (events: readonly LogEvent[], matches: readonly Match[]) =>
  makeDeliveries({ events, matches }, ({ id }, { webhookId }, number) => `${webhookId} ${id} ${number}`);

describe("deliveries that follow from events", () => {
  test("are those that fit a webhook's names and are not older than it, counted without a gap", () => {
    const events = [event("p", 1), event("p", 2, "project.failed"), event("q", 1), event("p", 3), event("p", 4)];
    const matches = [match("all", "p"), match("some", "p", { names: ["project.created"], missed: ["evt_p_1"] })];
    expect(made(events, matches)).toEqual({
      deliveries: [
        "all evt_p_1 1",
        "all evt_p_2 2",
        "all evt_p_3 3",
        "some evt_p_3 1",
        "all evt_p_4 4",
        "some evt_p_4 2",
      ],
      counts: [4, 2],
    });
  });

  test("come in the order of the log, but none before what came before it in its project", () => {
    const log = fc.array(fc.constantFrom("p", "q", "r"), { maxLength: 12 }).chain((projects) => {
      const counts = new Map<string, number>();
      const events = projects.map((project) => {
        counts.set(project, (counts.get(project) ?? 0) + 1);
        return event(project, counts.get(project)!);
      });
      return fc.shuffledSubarray(events, { minLength: events.length });
    });
    fc.assert(
      fc.property(log, (events) => {
        const matches = ["p", "q", "r"].map((project) => match("w", project));
        const { deliveries } = makeDeliveries({ events, matches }, (one, _match, number) => ({ one, number }));
        const turnOf = ({ projectId, sequence }: LogEvent) =>
          Math.max(...events.flatMap((e, at) => (e.projectId === projectId && e.sequence <= sequence ? [at] : [])));
        const expected = events.toSorted((a, b) => turnOf(a) - turnOf(b) || a.sequence - b.sequence);
        expect(deliveries.map(({ one }) => one)).toEqual(expected);
        expect(deliveries.map(({ number }) => number)).toEqual(expected.map(({ sequence }) => sequence));
      }),
    );
  });
});

describe("a run", () => {
  const batchOf = (count: number) =>
    new Batch(
      { xid: "0", projectId: "", sequence: 0 },
      { events: Array.from({ length: count }, (_, at) => event("p", at + 1)), matches: [match("w", "p")] },
      { rows: { settle: () => undefined, giveBack: () => undefined }, countedBefore: new Map([["w p", 7]]) },
    );
  const arrive = (batch: Batch, body: string) => {
    const attempt = { ...kept, response: { ...kept.response!, body } };
    batch.begin({ quick: batch.deliveries, others: [] });
    for (const delivery of batch.deliveries)
      batch.settle(delivery, { status: "delivered", reason: null, delayMs: null, isCounted: false, attempt });
    return batch.told();
  };

  test("is no longer than numbers are apart", () => {
    const { runs, rows, counted } = arrive(batchOf(2 * maxInRun + 3), "");
    expect(runs.map(({ deliveries }) => deliveries.length)).toEqual([maxInRun, maxInRun, 3]);
    expect(runs.flatMap(({ deliveries }) => deliveries.map(({ sequence }) => sequence))).toEqual(
      Array.from({ length: 2 * maxInRun + 3 }, (_, at) => at + 8),
    );
    expect([rows, counted]).toEqual([[], [{ webhookId: "w", projectId: "p", last: 2 * maxInRun + 10 }]]);
  });

  test("is shorter where much was answered", () => {
    const { runs } = arrive(batchOf(300), "x".repeat(10_000));
    const lengths = runs.map(({ attempts }) => attempts.join("").length);
    expect(Math.max(...lengths)).toBeLessThan(1_100_000);
    expect(runs.flatMap(({ deliveries }) => deliveries)).toHaveLength(300);
  });
});
