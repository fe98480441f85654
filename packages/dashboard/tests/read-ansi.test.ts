import { expect, test } from "vitest";
import { readAnsi } from "../src/parts/read-ansi.ts";

test("a line is split at its colours, and nothing else of a terminal is left of it", () => {
  expect(readAnsi("a\u001b[1;31mred\u001b[0m\u001b]0;title\u0007\u001b[2Jb")).toEqual([
    { text: "a", class: "" },
    { text: "red", class: "ansi-1 ansi-bold" },
    { text: "b", class: "" },
  ]);
});

test("a line that changes its colour at every letter makes few elements, and keeps its text", () => {
  const pieces = readAnsi("\u001b[31mx\u001b[32my".repeat(2_500));
  expect(pieces.length).toBeLessThanOrEqual(201);
  expect(pieces.map(({ text }) => text).join("")).toBe("xy".repeat(2_500));
});
