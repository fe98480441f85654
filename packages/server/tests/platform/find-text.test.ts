import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findText, missingTexts } from "../../src/platform/find-text.ts";
import { countTurns } from "../support/count-turns.ts";

const few = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });

describe("a text is found in another one", () => {
  test("where indexOf finds it", () => {
    const repeated = fc.tuple(few, fc.nat(60)).map(([part, times]) => part.repeat(times));
    const texts = fc.array(fc.oneof(few, repeated), { maxLength: 8 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(texts, texts, fc.nat(50), (text, wanted, from) => {
        expect(findText(text, wanted, from)).toBe(text.indexOf(wanted, from));
      }),
      { numRuns: 2_000 },
    );
  });

  test("at its end, after thousands that almost are", () => {
    const wanted = `${"ab".repeat(200)}c${"ab".repeat(200)}`;
    const almost = `${"ab".repeat(200)}c${"ab".repeat(199)}aa`.repeat(2_000);
    expect(findText(almost + wanted, wanted)).toBe(almost.length);
  });

  // By indexOf, this takes about an hour.
  test("in steps that grow with both, and not with their product", () => {
    const text = "a".repeat(2 * 1024 * 1024);
    const wanted = `ab${"a".repeat(1024 * 1024)}`;
    expect(findText(text, wanted)).toBe(-1);
    expect(findText(text + wanted, wanted)).toBe(text.length);
  });
});

test("very many texts are looked for in turns", { tags: "long" }, async () => {
  const turns = countTurns();
  const wanted = Array.from({ length: 60 }, (_, at) => `b${at}`);
  expect(await missingTexts(`${"ab".repeat(512 * 1024)}b7`, wanted)).toEqual(wanted.filter((one) => one !== "b7"));
  expect(turns()).toBeGreaterThan(10);
});
