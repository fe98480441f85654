import fc from "fast-check";
import { expect, test } from "vitest";
import { wholePart } from "../../../src/features/webhooks/outbox/whole-part.ts";

interface Told {
  readonly projectId: string;
  readonly sequence: number;
}

/** A log of three projects in any order, of which the first so many were read. */
const anyLog = fc
  .array(fc.constantFrom("p", "q", "r"), { maxLength: 14 })
  .chain((projects) => {
    const counts = new Map<string, number>();
    const events = projects.map((projectId): Told => {
      counts.set(projectId, (counts.get(projectId) ?? 0) + 1);
      return { projectId, sequence: counts.get(projectId)! };
    });
    return fc.tuple(fc.shuffledSubarray(events, { minLength: events.length }), fc.nat({ max: events.length }));
  })
  .map(([log, size]) => ({ log, size }));

/** As the database tells it: from which sequence on the one before is not among what was read. */
function tornIn(log: readonly Told[], size: number): Map<string, number> {
  const torn = new Map<string, number>();
  for (const { projectId, sequence } of log.slice(size)) {
    const isNextRead = log.slice(0, size).some((one) => one.projectId === projectId && one.sequence === sequence + 1);
    if (isNextRead) torn.set(projectId, Math.min(sequence + 1, torn.get(projectId) ?? Infinity));
  }
  return torn;
}

/** Whether everything before each of these, in its project, is among them. */
function isWhole(events: readonly Told[]): boolean {
  return events.every(({ projectId, sequence }) =>
    Array.from({ length: sequence - 1 }, (_, at) => at + 1).every((earlier) =>
      events.some((one) => one.projectId === projectId && one.sequence === earlier),
    ),
  );
}

test("of what was read, as many of the first are told as have all before them, and no fewer", () => {
  fc.assert(
    fc.property(anyLog, ({ log, size }) => {
      const read = log.slice(0, size);
      const whole = wholePart(read, tornIn(log, size));
      const longest = read.map((_, at) => at + 1).findLast((length) => isWhole(read.slice(0, length))) ?? 0;
      expect(whole).toEqual(read.slice(0, longest));
    }),
    { numRuns: 1_000 },
  );
});

test("what was told long ago is not waited for", () => {
  const events = [
    { projectId: "p", sequence: 7 },
    { projectId: "p", sequence: 9 },
  ];
  expect(wholePart(events, new Map())).toEqual(events);
});
