import { expect, test } from "vitest";
import { LineSplitter } from "../../../src/agents/drivers/command/line-splitter.ts";
import { maskEvent } from "../../../src/agents/supervisor/mask-event.ts";
import { cappedOutput } from "../../../src/platform/sandbox/index.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";

const secret = "schlüssel-open-sesame-4711";

/** What the log of an agent shows that prints this. */
async function shown(...texts: readonly string[]): Promise<string> {
  const maskers = { stdout: new Masker([secret]), stderr: new Masker([secret]), message: new Masker([secret]) };
  let log = "";
  for (const text of texts) {
    const event = await maskEvent(maskers, { type: "log", stream: "stdout", text });
    log += "text" in event ? event.text : "";
  }
  return log + maskers.stdout.end();
}

test.each([6, 9, 20])(
  "of a secret that a line ends with which is too long, nothing is told after %s bytes",
  async (cut) => {
    const splitter = new LineSplitter(100 + cut);
    const lines = splitter.push(Buffer.from(`${"-".repeat(100)}${secret}\nthe next\n`));
    const log = await shown(`${lines.join("\n")}\n`);
    expect(log).toMatch(/^-{100}\*{8}… \d+ more bytes were left out\nthe next\n$/u);
  },
);

test.each([6, 9, 20])("nor of one where all output ends that an agent may print, after %s bytes", async (cut) => {
  const nothing = { bytesPerSecond: undefined, onLimit: "drop", paidUntilMs: 0, usedBytes: 0, lastAtMs: 0 } as const;
  const budget = { ...nothing, limitBytes: 100 + cut, waiting: undefined, onOver: () => undefined };
  const output = cappedOutput(budget).setEncoding("utf8");
  output.end(`${"-".repeat(100)}${secret}\nthe next\n`);
  const log = await shown(...((await output.toArray()) as string[]));
  expect(log).toMatch(/^-{100}\*{8}…\n\[output beyond \d+ bytes was dropped\]\n$/u);
});
