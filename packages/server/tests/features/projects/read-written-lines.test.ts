import { expect, test } from "vitest";
import { readWrittenLines } from "../../../src/features/projects/read-written-lines.ts";
import { measureHolding } from "../../support/measure-holding.ts";

test("the lines of a large document are found beside the service, not instead of it", async () => {
  const keys = Array.from({ length: 8_000 }, (_, at) => `check_${at}`);
  const content = Buffer.from(`acceptance:\n${keys.map((key) => `  ${key}: "it holds"\n`).join("")}`);
  const pointers = keys.map((key) => `/acceptance/${key}`);
  const { done, heldMs, tookMs } = await measureHolding(() =>
    readWrittenLines({ content, pointers, environment: null }),
  );
  expect(done.get("/acceptance/check_7999")).toEqual({ line: 8_001, text: 'check_7999: "it holds"' });
  expect(heldMs).toBeLessThan(tookMs / 2);
});

test("a small document, and one in an environment", async () => {
  const content = Buffer.from("name: a\nenvironments:\n  live:\n    name: b\n");
  expect([...(await readWrittenLines({ content, pointers: ["/name"], environment: null }))]).toEqual([
    ["/name", { line: 1, text: "name: a" }],
  ]);
  expect([...(await readWrittenLines({ content, pointers: ["/name"], environment: "live" }))]).toEqual([
    ["/name", { line: 4, text: "name: b" }],
  ]);
});
