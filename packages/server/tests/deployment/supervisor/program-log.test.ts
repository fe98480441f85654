import fc from "fast-check";
import { expect, onTestFinished, test, vi } from "vitest";
import { ProgramLog } from "../../../src/deployment/supervisor/program-log.ts";
import { type LogChunk, LogWriter } from "../../../src/engine/logs/index.ts";

const secret = "open-sesame-42";
const allowance = { burstChars: 10_000, charsPerSecond: 100 };

function logOf() {
  let atMs = 0;
  const texts: string[] = [];
  const onText = (text: string) => void texts.push(text);
  const log = new ProgramLog({ secrets: [secret], onText, allowance, nowMs: () => atMs });
  const wait = (ms: number) => {
    atMs += ms;
  };
  return { log, wait, text: () => texts.join("") };
}

test("a program that writes without end fills no disk, and what was left out is said", () => {
  const { log, wait, text } = logOf();
  const line = `${"x".repeat(99)}\n`;
  for (let written = 0; written < 1_000; written += 1) log.write(line);
  expect(text().length).toBeLessThan(11_000);
  wait(1_000);
  log.write("the last line\n");
  expect(text()).toMatch(/\n… \d+ more characters were left out\n(?:.|\n)*the last line\n$/u);
  for (let second = 0; second < 600; second += 1) {
    wait(1_000);
    for (let written = 0; written < 10; written += 1) log.write(line);
  }
  expect(text().length).toBeLessThan(2 * (10_000 + 601 * 100));
});

test("what was left out is said also of a program that says nothing after it", () => {
  const { log, text } = logOf();
  log.write(`${"x".repeat(9_000)}\n`);
  log.write(`${"y".repeat(2_000)}\n`);
  log.end();
  expect(text()).toBe(`${"x".repeat(9_000)}\n… 2001 more characters were left out\n`);
  log.end();
  expect(text()).toMatch(/x\n… 2001 more characters were left out\n$/u);
});

test("what was left out is said of a program that lives on and is silent", () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { log, text } = logOf();
  log.write(`${"x".repeat(11_000)}\nthe last line\n`);
  expect(text()).toBe("");
  vi.advanceTimersByTime(10_000);
  expect(text()).toBe("… 11015 more characters were left out\n");
  log.end();
  expect(vi.getTimerCount()).toBe(0);
});

test("no part of a secret is seen, whatever is left out around it", () => {
  const filling = fc.nat(15_000).map((length) => "-".repeat(length));
  const pieces = fc.array(fc.oneof(fc.constant(secret), filling), { maxLength: 8 });
  fc.assert(
    fc.property(pieces, fc.array(fc.nat(60_000), { maxLength: 6 }), (said, cuts) => {
      const { log, wait, text } = logOf();
      const all = said.join("\n");
      const places = [0, ...cuts.toSorted((one, other) => one - other), all.length];
      for (const [index, from] of places.slice(0, -1).entries()) {
        log.write(all.slice(from, places[index + 1]));
        wait(40_000);
      }
      log.end();
      expect(text()).not.toMatch(/sesame|open-/);
    }),
  );
});

test("programs that write to one log leave each other's lines as they are", () => {
  const chunks: LogChunk[] = [];
  const writer = new LogWriter({} as LogChunk, (chunk) => void chunks.push(chunk));
  const logs = ["one", "two"].map(() => new ProgramLog({ secrets: [secret], onText: (text) => writer.write(text) }));
  const [one, two] = logs as [ProgramLog, ProgramLog];
  one.write("half a li");
  two.write("of the other\n\u001b]0;a title that does not end");
  one.write("ne\n");
  two.end();
  two.note("It has ended.");
  one.write(`${"x".repeat(40_000)}\u001b[3`);
  two.write("shown\n");
  one.end();
  expect(
    chunks
      .map(({ text }) => text)
      .join("")
      .replaceAll(/x+\n/g, ""),
  ).toBe("of the other\nhalf a line\nIt has ended.\nshown\n");
});

test("the last line of a program stands alone, whatever it ended with", () => {
  const { log, text } = logOf();
  log.write("it bro");
  log.end();
  log.note("$ start");
  log.write("50 %\rready!");
  log.note("It has ended.");
  expect(text()).toBe("it bro\n$ start\n50 %\rready!\nIt has ended.\n");
});
