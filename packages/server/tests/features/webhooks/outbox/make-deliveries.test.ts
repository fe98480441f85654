import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { LogEvent, Match } from "../../../../src/features/webhooks/outbox/log-store.ts";
import { makeDeliveries } from "../../../../src/features/webhooks/outbox/make-deliveries.ts";

const event = (projectId: string, sequence: number, name: LogEvent["name"] = "project.created"): LogEvent => ({
  xid: "1",
  projectId,
  sequence,
  id: `evt_${projectId}_${sequence}`,
  name,
  data: {},
  happenedAtMs: 0,
});
const match = (webhookId: string, projectId: string, more: Partial<Match> = {}): Match => ({
  webhookId,
  projectId,
  version: 1,
  lastSequence: 0,
  names: null,
  missed: null,
  ...more,
});
const made = (events: readonly LogEvent[], matches: readonly Match[]) => {
  const { deliveries, lastSequences } = makeDeliveries(events, matches);
  const texts = deliveries.map(({ event, match, sequence }) => `${match.webhookId} ${event.id} ${sequence}`);
  return { deliveries: texts, lastSequences };
};

describe("deliveries that follow from events", () => {
  test("are those that fit a webhook's names and are not older than it, counted without a gap", () => {
    const events = [event("p", 1), event("p", 2, "project.failed"), event("q", 1), event("p", 3), event("p", 4)];
    const matches = [
      match("all", "p"),
      match("some", "p", { names: ["project.created"], missed: ["evt_p_1"], lastSequence: 7 }),
    ];
    expect(made(events, matches)).toEqual({
      deliveries: [
        "all evt_p_1 1",
        "all evt_p_2 2",
        "all evt_p_3 3",
        "some evt_p_3 8",
        "all evt_p_4 4",
        "some evt_p_4 9",
      ],
      lastSequences: [
        { webhookId: "all", projectId: "p", last: 4 },
        { webhookId: "some", projectId: "p", last: 9 },
      ],
    });
  });

  test("take the log's order between projects, and the project's own order within it", () => {
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
        const { deliveries } = makeDeliveries(events, matches);
        const sequences = new Map<string, number>();
        const expected = events.map(({ projectId }) => {
          sequences.set(projectId, (sequences.get(projectId) ?? 0) + 1);
          return [projectId, sequences.get(projectId)];
        });
        expect(deliveries.map(({ event, sequence }) => [event.projectId, sequence])).toEqual(expected);
        for (const { event, sequence } of deliveries) expect(event.sequence).toBe(sequence);
      }),
    );
  });
});
