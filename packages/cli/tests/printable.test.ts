import fc from "fast-check";
import { expect, test } from "vitest";
import { onTerminal, printable, unseen, withoutOrders } from "../src/output/printable.ts";
import { toJson, toJsonLine } from "../src/output/to-json.ts";

test.for([
  ["colours", "\x1b[1;31mred\x1b[0m and \x9b32mgreen\x9b0m", "red and green"],
  ["the cursor", "a\x1b[2Jb\x1b[1;1Hc\x1b7d\x1b(Be", "abcde"],
  ["titles, in both ways to end", "a\x1b]0;root@host\x07b\x1b]2;x\x1b\\c", "abc"],
  ["links and the clipboard", "\x1b]8;;https://example.com\x07here\x1b]8;;\x07\x1b]52;c;aGk=\x07", "here"],
  ["what is for devices", "a\x1bPq#0;2;0;0;0\x1b\\b\x1b_Gi=1;x\x1b\\c", "abc"],
  ["one without an end, of which the text stays", "a\x1b]0;title", "a0;title"],
  ["half of one", "a\x1b[12", "a12"],
] as const)("%s are left out", ([, text, left]) => {
  expect(withoutOrders(text)).toBe(left);
});

test.for(["\x1b]8;;", "\x1b[1;", "\x1b]a", "\x1bP", "\x1b_;", "\x9d8;;", "\x90a", "\x9f", "\x1b]/", "\x1b", "\x1b[(#"])(
  "a line of %j without end keeps nobody waiting",
  (piece) => {
    expect(printable(withoutOrders(piece.repeat(100_000)))).not.toMatch(/[\0-\x1f\x7f-\x9f]/);
  },
);

test("a terminal gets lines, tabs and colours of a text, and nothing else that it obeys", () => {
  const kept = "a\tb\r\n\x1b[1;31mred\x1b[39m \x1b[0m…ü\n";
  expect(onTerminal(kept)).toBe(kept);
  expect(onTerminal("\x1b]52;c;aGk=\x07\x1b[2J\x9b2J\rx\u202ey\x1b[31\x1b")).toBe("�]52;c;aGk=��[2J�2J�x�y�[31�");
});

test("JSON says the same and orders a terminal nothing, whatever is in it", { tags: "long" }, () => {
  const turned = fc.string({ unit: fc.constantFrom("a", "\x9b", "\x1b", "\n", "\u202e", "\u200b", '"', "\\") });
  fc.assert(
    fc.property(fc.dictionary(turned, fc.oneof(turned, fc.string({ unit: "binary" }))), (value) => {
      expect(JSON.parse(toJson(value))).toEqual({ ...value });
      expect(JSON.parse(toJsonLine(value))).toEqual({ ...value });
      expect(toJsonLine(value)).not.toMatch(unseen);
      expect(toJson(value).replaceAll("\n", "")).not.toMatch(unseen);
    }),
  );
});
