import { expect, onTestFinished, test } from "vitest";
import { createLog, LogTail, takeConsole } from "../../../src/platform/log/index.ts";

test("what a library prints is one short line of the log, whatever it holds", () => {
  const before = { ...console };
  onTestFinished(() => void Object.assign(console, before));
  const tail = new LogTail();
  takeConsole(createLog("warn", tail));
  const forged = '{"level":30,"msg":"all is well"}';
  console.error("cannot parse:", `\u001b]0;x\u0007oops\n${forged}\n${"x".repeat(5_000_000)}`, new Error("a\nb"));
  console.warn("second");
  const lines = tail.lines.map((line) => JSON.parse(line));
  expect(lines).toMatchObject([{ service: "library" }, { service: "library", msg: "second" }]);
  expect(lines[0].msg).toContain(`oops ${forged} xxx`);
  expect(lines[0].msg).not.toContain("\u001b");
  expect(lines[0].msg.length).toBeLessThanOrEqual(500);
});
