import { expect, test } from "vitest";
import { findLineNumbers } from "../src/index.ts";

test("values are found by their pointers, in the environment's block first", () => {
  const text = `name: a
acceptance:
  tests:
    - file: one
    - file: two
  a/b: yes
environments:
  production:
    name: b
`;
  const pointers = ["/name", "/acceptance/tests/1", "/acceptance/a~1b", "/acceptance/none", "/acceptance/tests/7"];
  expect([...findLineNumbers(text, pointers)]).toEqual([
    ["/name", 1],
    ["/acceptance/tests/1", 5],
    ["/acceptance/a~1b", 6],
  ]);
  expect(findLineNumbers(text, pointers, "production").get("/name")).toBe(9);
});

test("looking ten thousand lines up takes little more than reading the document", { tags: "long" }, () => {
  const keys = Array.from({ length: 10_000 }, (_, at) => `check_${at}`);
  const text = `acceptance:\n${keys.map((key) => `  ${key}: yes\n`).join("")}`;
  // The least of some: a busy machine makes each take longer by itself.
  const usedBy = (work: () => void) => Math.min(...Array.from({ length: 3 }, () => cpuOf(work)));
  const pointers = keys.map((key) => `/acceptance/${key}`);
  const reading = usedBy(() => findLineNumbers(text, []));
  const finding = usedBy(() => expect(findLineNumbers(text, pointers).size).toBe(keys.length));
  expect(finding / reading).toBeLessThan(3);
});

function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user;
}
