import { once } from "node:events";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { converse } from "../src/output/converse.ts";

test("lines that were typed before the input ended are all answered", async () => {
  const input = new PassThrough();
  const seen: string[] = [];
  input.end("inspect\nplan\nquit\n");
  for await (const line of converse(input, new PassThrough(), "> ", () => [])) {
    seen.push(line);
    // An answer takes its time; meanwhile the terminal is gone.
    if (!input.readableEnded) await once(input, "end");
  }
  expect(seen).toEqual(["inspect", "plan", "quit"]);
});
