import { expect, test } from "vitest";
import { pause } from "../../src/platform/pause.ts";

test("an abort ends a pause early and is no error", async () => {
  const stopping = new AbortController();
  const began = performance.now();
  const paused = pause(60_000, stopping.signal);
  stopping.abort();
  await paused;
  await pause(60_000, stopping.signal);
  expect(performance.now() - began).toBeLessThan(30_000);
});
