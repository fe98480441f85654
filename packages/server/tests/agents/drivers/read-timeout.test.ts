import { expect, test } from "vitest";
import { ReadTimeout } from "../../../src/agents/drivers/read-timeout.ts";

const errors = {
  timedOut: (seconds: number) => new Error(`${seconds} s`),
  tooLong: () => new Error("too long"),
  tooComplex: () => new Error("too complex"),
};

test("who reads an answer gets it in pieces, with a turn for others in between", async () => {
  const timeout = new ReadTimeout(errors);
  const text = 'data: {"choices":[]}\n\n'.repeat(50_000);
  let turns = 0;
  let isRead = false;
  const count = () => {
    turns += 1;
    if (!isRead) setImmediate(count);
  };
  setImmediate(count);
  let read = "";
  const decoder = new TextDecoder();
  const answer = timeout.watch(new Response(text), 10, { isStream: true });
  for await (const chunk of answer.body!) read += decoder.decode(chunk as Uint8Array, { stream: true });
  isRead = true;
  timeout.end();
  expect(read).toBe(text);
  expect(turns).toBeGreaterThan(100);
});
