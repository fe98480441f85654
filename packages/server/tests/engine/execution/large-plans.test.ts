import { planWork, resolveSpec, type SpecDocument, writeTaskBreakdown } from "@slipway/spec";
import { expect, test } from "vitest";
import { readBreakdown } from "../../../src/engine/execution/index.ts";
import { measureHolding } from "../../support/measure-holding.ts";

const { signal } = new AbortController();
const { document } = resolveSpec({
  ...{ spec_version: "1.0.0", id: "planned", name: "Planned", description: "d", outcome_type: "library", stack: {} },
  acceptance: {},
} as unknown as SpecDocument);
const own = writeTaskBreakdown(planWork(document));

test("a plan of nothing but comments is read beside the service, not instead of it", async () => {
  const source = `${"#\n".repeat(100_000)}${own}`;
  const { done, heldMs, tookMs } = await measureHolding(() => readBreakdown({ source, document }, signal));
  expect(done).toEqual(await readBreakdown({ source: own, document }, signal));
  expect(done.plan?.tasks.length).toBeGreaterThan(0);
  expect(heldMs).toBeLessThan(tookMs / 2);
});

test("a plan that takes too long to be read cannot be used", async () => {
  const source = `${"#\n".repeat(100_000)}${own}`;
  const { plan, diagnostics } = await readBreakdown({ source, document }, signal, { cpuLimitMs: 1 });
  expect(plan).toBeUndefined();
  const message = "The plan takes longer than 0.001 s to be read.";
  expect(diagnostics).toMatchObject([{ severity: "error", code: "too_large", message }]);
});
