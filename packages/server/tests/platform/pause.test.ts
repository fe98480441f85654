import { expect, test } from "vitest";
import { pause } from "../../src/platform/pause.ts";

test("an abort ends a pause early and is no error", async () => {
  const stopping = new AbortController();
  // Longer than a test may take.
  const paused = pause(600_000, stopping.signal);
  stopping.abort();
  await expect(paused).resolves.toBeUndefined();
  await expect(pause(600_000, stopping.signal)).resolves.toBeUndefined();
});
