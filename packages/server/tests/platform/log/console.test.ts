import { expect, onTestFinished, test } from "vitest";
import { takeConsole } from "../../../src/platform/log/index.ts";

test("what a library prints is one short line, whatever it holds", () => {
  const before = { ...console };
  onTestFinished(() => void Object.assign(console, before));
  const lines: string[] = [];
  takeConsole((line) => lines.push(line));
  const forged = '{"level":30,"msg":"all is well"}';
  console.error("cannot parse:", `\u001b]0;x\u0007oops\n${forged}\n${"x".repeat(5_000_000)}`, new Error("a\nb"));
  console.warn("second");
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain(`oops ${forged} xxx`);
  expect(lines[0]).not.toContain("\u001b");
  expect(lines[0]!.length).toBeLessThanOrEqual(500);
  expect(lines[1]).toBe("second");
});
