import { expect, test } from "vitest";
import { readAnswerStart, readWholeAnswer } from "../../../src/platform/network/index.ts";

const tooLong = () => new Error("It is too long.");

test("an answer is read whole up to its limit", async () => {
  expect(await readWholeAnswer(new Response("äb"), { maxBytes: 3, tooLong })).toBe("äb");
  expect(await readWholeAnswer(new Response(null), { maxBytes: 3, tooLong })).toBe("");
  await expect(readWholeAnswer(new Response("äbc"), { maxBytes: 3, tooLong })).rejects.toThrow("too long");
});

test("an answer without an end is left after its start", async () => {
  let isLeft = false;
  const pull = (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.from("abc"));
  const cancel = () => {
    isLeft = true;
  };
  expect(await readAnswerStart(new Response(new ReadableStream({ pull, cancel })), 4)).toBe("abca");
  expect(isLeft).toBe(true);
});
