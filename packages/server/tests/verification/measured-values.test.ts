// @module-tag long
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { expect, test } from "vitest";
import { submit, untilEnded } from "../support/engine/follow.ts";
import { createStage, documentOf } from "../support/engine/stage.ts";

const { app, play } = await createStage();

const server = `
import { createServer } from "node:http";
createServer((request, response) => response.end("fine")).listen(process.env.PORT, process.env.HOST);
`;
const sum = `export const add = (a, b) => a + b;\n`;
const unused = `export function never() {\n  return 1;\n}\n`;
const tests = `import assert from "node:assert";\nimport { test } from "node:test";\nimport { add } from "./sum.mjs";
test("adds", () => assert.equal(add(1, 2), 3));\n`;

test("numbers are kept for each line, and compared with those of the run before", async () => {
  const parts = {
    scripts: { start: "node server.mjs" },
    guardrails: { performance_tests: true, min_test_coverage: 0.1 },
    acceptance: {
      http_endpoints: [{ path: "/" }],
      performance: { response_time_p95_ms: 60_000, throughput_rps: ">= 1 rps" },
      commands: [{ command: "true", performance: { max_execution_time_ms: 60_000 } }],
    },
  };
  let sources: Readonly<Record<string, string>> = { "server.mjs": server, "sum.mjs": sum, "sum.test.mjs": tests };
  const first = await play(parts, async ({ folder, task }) => {
    if (task.role === "planner") return undefined;
    for (const [path, text] of Object.entries(sources)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return { is: "done" };
  });
  const reportOf = async (id: string) => {
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const report = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
    return (pointer: string) => report.lines.find((line) => line.pointer === pointer)?.measured ?? [];
  };
  const before = await reportOf(first);
  const pointers = {
    p95: "/acceptance/performance/response_time_p95_ms",
    command: "/acceptance/commands/0/performance/max_execution_time_ms",
    coverage: "/guardrails/min_test_coverage",
    load: "/guardrails/performance_tests",
  };
  expect(before(pointers.p95)).toEqual([
    { name: "response_time_p95_ms", value: expect.any(Number), unit: "ms", previous: null, change: null },
  ]);
  expect(before(pointers.load).map(({ name, unit }) => `${name} ${unit}`)).toEqual([
    "response_time_p50 ms",
    "response_time_p95 ms",
    "response_time_p99 ms",
    "throughput per second",
    "error_rate share",
    "memory bytes",
  ]);
  expect(before(pointers.coverage)[0]).toMatchObject({ name: "coverage", unit: "share", previous: null });

  sources = { ...sources, "unused.mjs": unused };
  const again = await submit(app, documentOf({ id: "play-1", ...parts }));
  const after = await reportOf(again);
  for (const pointer of [...Object.values(pointers), "/acceptance/commands/0"])
    for (const { name, value, previous, change } of after(pointer)) {
      const [earlier] = before(pointer).filter((one) => one.name === name);
      expect(previous).toBe(earlier?.value);
      if (previous !== null && previous > 0) expect(change).toBeCloseTo((value - previous) / previous, 2);
      else expect(change).toBeNull();
    }
  const [coverage] = after(pointers.coverage);
  expect(coverage?.change).toBeLessThan(0);
  const page = await app.call({ url: `/api/v1/projects/${again}/artifacts/verification/report.html` });
  expect(page.body).toMatch(/coverage [\d.]+ % \(before: [\d.]+ %, -[\d.]+ %\)/);
});
