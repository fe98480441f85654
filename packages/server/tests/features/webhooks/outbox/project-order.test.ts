import fc from "fast-check";
import { expect, test } from "vitest";
import { completePrefix } from "../../../../src/features/webhooks/outbox/project-order.ts";

interface Sequenced {
  readonly projectId: string;
  readonly sequence: number;
}

/** A log of three projects in any order, of which the first so many were read. */
const anyLog = fc
  .array(fc.constantFrom("p", "q", "r"), { maxLength: 14 })
  .chain((projects) => {
    const counts = new Map<string, number>();
    const events = projects.map((projectId): Sequenced => {
      counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
      return { projectId, sequence: counts.get(projectId)! };
    });
    return fc.tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.nat({ max: events.length }));
  })
  .map(([log, size]) => ({ log, size }));

/** As the database reports it: from which sequence on the event before was not read. */
function gapsIn(log: readonly Sequenced[], size: number): Map<string, number> {
  const gaps = new Map<string, number>();
  for (const { projectId, sequence } of log.slice(size)) {
    const isNextRead = log.slice(0, size).some((one) => one.projectId === projectId && one.sequence === sequence + 1);
    if (isNextRead) gaps.set(projectId, Math.min(sequence + 1, gaps.get(projectId) ?? Infinity));
  }
  return gaps;
}

/** Whether everything before each of these, in its project, is among them. */
function isComplete(events: readonly Sequenced[]): boolean {
  return events.every(({ projectId, sequence }) =>
    Array.from({ length: sequence - 1 }, (_, at) => at + 1).every((earlier) =>
      events.some((one) => one.projectId === projectId && one.sequence === earlier),
    ),
  );
}

test("the longest prefix is delivered in which every event has all before it in its project", () => {
  fc.assert(
    fc.property(anyLog, ({ log, size }) => {
      const read = log.slice(0, size);
      const complete = completePrefix(read, gapsIn(log, size));
      const longest = read.map((_, at) => at + 1).findLast((length) => isComplete(read.slice(0, length))) ?? 0;
      expect(complete).toEqual(read.slice(0, longest));
    }),
    { numRuns: 1_000 },
  );
});

test("events that were delivered long ago leave no gap", () => {
  const events = [
    { projectId: "p", sequence: 7 },
    { projectId: "p", sequence: 9 },
  ];
  expect(completePrefix(events, new Map())).toEqual(events);
});
