import { expect, test } from "vitest";
import { Masker } from "../../../src/platform/secrets/index.ts";
import { answerProblems } from "../../../src/verification/probes/answer-problems.ts";
import { measureHolding } from "../../support/measure-holding.ts";

test("large places of an answer are compared one by one, and others have turns between them", async () => {
  const depth = 40;
  const rows = Array.from({ length: 20_000 }, (_, row) => `row ${row}`);
  const text = `${"[".repeat(depth)}${JSON.stringify(rows)}${"]".repeat(depth)}`;
  const json = Array.from({ length: depth }, (_, level) => ["/0".repeat(level), "no rows"] as const);
  const { done, heldMs, tookMs } = await measureHolding(() =>
    answerProblems(
      { status: 200, headers: {}, cookies: [], text },
      { status: { exactly: 200 }, json },
      { signal: new AbortController().signal, masker: new Masker([]) },
    ),
  );
  expect(done).toHaveLength(depth);
  expect(heldMs).toBeLessThan(tookMs / 2);
});
