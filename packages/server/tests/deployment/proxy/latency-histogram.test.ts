import fc from "fast-check";
import { expect, test } from "vitest";
import { LatencyHistogram } from "../../../src/deployment/proxy/latency-histogram.ts";

test("percentiles are at most a sixteenth too high, and never too low", () => {
  const latency = fc.double({ min: 0.001, max: 600_000, noNaN: true });
  fc.assert(
    fc.property(fc.array(latency, { minLength: 1, maxLength: 300 }), fc.constantFrom(0.5, 0.99), (values, share) => {
      const histogram = new LatencyHistogram();
      for (const ms of values) histogram.add(ms);
      const exact = values.sort((a, b) => a - b)[Math.ceil(share * values.length) - 1]!;
      // Latencies are counted in whole microseconds.
      expect(histogram.percentile(share)).toBeGreaterThanOrEqual(exact - 0.0005);
      expect(histogram.percentile(share)).toBeLessThanOrEqual((exact + 0.0005) * (1 + 1 / 16));
    }),
  );
});

test("without requests there is none", () => {
  expect(new LatencyHistogram().percentile(0.99)).toBe(0);
});
