import assert from "node:assert/strict";
import { test } from "node:test";
import { exampleModel as model } from "#testing/example-model.js";
import { startApp } from "#testing/start-app.js";

const requests = 100;
const atOnce = 10;

test("many requests at once are all answered", async (t) => {
  const { call } = await startApp(t, { model });
  const times = [];
  let failed = 0;
  const startedAt = performance.now();
  async function client() {
    for (let count = 0; count < requests / atOnce; count += 1) {
      const before = performance.now();
      const isWrite = count % 4 === 0;
      const { status } = isWrite
        ? await call("POST", "/shelves", { body: { name: "One" } })
        : await call("GET", "/shelves?limit=10");
      if (status >= 400) failed += 1;
      times.push(performance.now() - before);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, client));
  const seconds = (performance.now() - startedAt) / 1000;
  const p95 = times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)];
  t.diagnostic(`p95 ${p95.toFixed(1)} ms, ${(requests / seconds).toFixed(0)} requests a second`);
  assert.equal(failed, 0);
});
