import { setImmediate as nextLoop } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { jsonInTurns } from "../../../src/platform/http/json-in-turns.ts";

const items = (length: number) => Array.from({ length }, (_, at) => ({ at, text: `"é\n\u2028`, none: undefined }));

test.each([
  ["a short answer", { a: 1, none: undefined, list: items(3) }],
  ["a list that is long", { lines: items(101), next_cursor: "7" }],
  ["lists that are long", { 'a"': items(200), none: undefined, b: null, c: items(350), d: { e: items(120) } }],
  ["holes in a long list", { list: [...Array.from({ length: 120 }), () => 1, ...items(100)] }],
  ["a list alone", items(300)],
  ["nothing", {}],
])("%s is what JSON.stringify writes", async (_, body) => {
  expect(Buffer.from(await jsonInTurns(body)).toString()).toBe(JSON.stringify(body));
});

test("others have their turns while a long list is written", async () => {
  // What began by the real clock is over.
  await nextLoop();
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  let made = 0;
  const item = {
    toJSON: () => {
      made += 1;
      if (made % 100 === 0) vi.advanceTimersByTime(1);
    },
  };
  const writing = jsonInTurns({ lines: Array.from({ length: 10_000 }, () => item) });
  let turns = 0;
  for (; made < 10_000; turns += 1) await nextLoop();
  await writing;
  expect(turns).toBeGreaterThan(20);
});
