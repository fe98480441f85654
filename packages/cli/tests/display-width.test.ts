import picocolors from "picocolors";
import { expect, test } from "vitest";
import { cutTo, displayWidth } from "../src/output/display-width.ts";
import { table } from "../src/output/table.ts";

test.for([
  ["letters", "abc", 3],
  ["letters with marks", "e\u0301a\u0308\u0323", 2],
  ["wide letters", "日本", 4],
  ["syllables", "한국", 4],
  ["syllables that are put together", "\u1112\u1161\u11ab", 2],
  ["emoji", "😀✅", 4],
  ["an emoji with a colour of skin", "👍🏽", 2],
  ["an emoji that is a text without a selector", "❤️", 2],
  ["a flag", "🇩🇪", 2],
  ["beginnings of syllables that never end", "\u1100".repeat(50), 100],
  ["consonants that are joined without end", "\u0915\u094d".repeat(50), 50],
  ["signs that belong to what follows", "\u0600".repeat(50), 50],
  ["Tangut", "\u{17000}".repeat(50), 100],
  ["vertical forms", "\ufe10\ufe19", 4],
] as const)(
  "%s take as many columns as terminals give them: no name makes a line longer than it seems",
  ([, text, columns]) => {
    expect(displayWidth(text)).toBe(columns);
    expect(displayWidth(cutTo(text, 40))).toBeLessThanOrEqual(40);
  },
);

test("columns of a table are below each other whatever their letters are", () => {
  const lines = table(
    ["NAME", "STATUS"],
    [
      ["日本語", "live"],
      ["shop", "live"],
    ],
    picocolors.createColors(false),
  );
  expect(lines.map((line) => displayWidth(line.slice(0, line.search(/STATUS|live/))))).toEqual([8, 8, 8]);
});
