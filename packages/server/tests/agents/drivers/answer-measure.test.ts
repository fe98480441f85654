// @module-tag soak
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { AnswerMeasure } from "../../../src/agents/drivers/answer-measure.ts";

const megabyte = 1024 * 1024;

function judge(text: string, { isStream = false, piece = 64 * 1024 } = {}) {
  const measure = new AnswerMeasure({ isStream });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += piece) {
    const problem = measure.add(bytes.subarray(at, at + piece));
    if (problem !== undefined) return problem;
  }
  return undefined;
}

const lists = "[],".repeat(3 * megabyte);
const deep = "[".repeat(600);

describe("an answer that is read as a whole", () => {
  test("may be as long as a file, and no longer", () => {
    expect(judge(JSON.stringify({ content: '[{":,\\'.repeat(megabyte / 2) }))).toBeUndefined();
    expect(judge(JSON.stringify({ content: "x".repeat(9 * megabyte) }))).toBe("too long");
  });

  test.for([1, 7, 65_536])("may hold so many values, wherever it is cut into pieces of %i", (piece) => {
    expect(judge(`{"a\\\\":${deep}`, { piece })).toBe("too complex");
    expect(judge(`{"a\\"${deep}\\\\\\"${deep}":1}`, { piece })).toBeUndefined();
  });

  test("is not taken for a stream, whatever lines are in it", () => {
    expect(judge(`${"[\n\n".repeat(600)}`)).toBe("too complex");
    expect(judge(lists)).toBe("too complex");
  });
});

describe("a stream", () => {
  const isStream = true;
  const event = `data: {"choices":[{"delta":{"content":"${"x".repeat(1_000)}"}}]}`;

  test.for(soakCases(["\n\n", "\r\n\r\n"]))(
    "may be long if its events are not, which end with %j",
    { tags: "long" },
    (end) => {
      for (const piece of [1_021, 65_536]) {
        expect(judge(`${event}${end}`.repeat(10_000), { isStream, piece })).toBeUndefined();
        expect(judge(`data: [[[[[],1],1],1],1]${end}`.repeat(50_000), { isStream, piece })).toBeUndefined();
      }
      expect(judge(`${event}${end}`.repeat(70_000), { isStream })).toBe("too long");
    },
  );

  test("has no long event, in one line or many", () => {
    expect(judge(`data: "${"x".repeat(9 * megabyte)}"`, { isStream })).toBe("too long");
    expect(judge(`data: ${"x".repeat(1_000)}\n`.repeat(9_000), { isStream })).toBe("too long");
  });

  test.for([
    ["in one line", `data: ${lists}\n\n`],
    ["in many", "data: [\n".repeat(600)],
    ["behind a quote in another line", `: "\ndata: ${deep}\n\n`],
    ["behind a quote, where a line ends with a carriage return alone", `: "\rdata: ${deep}\n\n`],
    ["with lines that only some take for empty", "data: [[[[[[\n\r\r\n".repeat(200)],
    ["with carriage returns inside", `data: ${"[\r\r".repeat(600)}\n\n`],
  ])("has no event of too many values, %s", ([, text]) => {
    for (const piece of [3, 65_536]) expect(judge(text!, { isStream, piece })).toBe("too complex");
  });
});
