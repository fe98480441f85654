import { expect, onTestFinished, test, vi } from "vitest";
import { UpdateReader } from "../../../src/agents/drivers/acp/read-update.ts";
import { EventTranslator } from "../../../src/agents/drivers/command/event-translator.ts";
import type { AgentEvent } from "../../../src/agents/drivers/driver.ts";
import { lineOf } from "../../../src/agents/supervisor/log-lines.ts";
import { maskEvent } from "../../../src/agents/supervisor/mask-event.ts";
import { Masker } from "../../../src/platform/secrets/index.ts";

const secret = "hunter2/swordfish";
const debug = { level: "info" } as Parameters<typeof lineOf>[0];

type Say = { readonly say: (text: string) => void; readonly end: () => void };

const ways: readonly (readonly [string, (emit: (event: AgentEvent) => void) => Say])[] = [
  [
    "by ACP",
    (emit) => {
      const reader = new UpdateReader("/folder", emit);
      const chunk = (text: string) => ({ sessionUpdate: "agent_message_chunk", content: { type: "text", text } });
      return { say: (text) => reader.read({ update: chunk(text) }), end: () => reader.flush() };
    },
  ],
  [
    "on lines of JSON",
    (emit) => {
      const translator = new EventTranslator("/folder", emit);
      return { say: (text) => translator.take({ type: "piece", text }), end: () => translator.end() };
    },
  ],
];

/** The log of an agent that says this in pieces. */
async function logOf(open: (typeof ways)[number][1], pieces: readonly string[]): Promise<string> {
  const events: AgentEvent[] = [];
  const agent = open((event) => events.push(event));
  for (const piece of pieces) agent.say(piece);
  agent.end();
  return logged(events.filter(({ type }) => type !== "status"));
}

async function logged(events: readonly AgentEvent[]): Promise<string> {
  const maskers = { stdout: new Masker([secret]), stderr: new Masker([secret]), message: new Masker([secret]) };
  let log = "";
  for (const event of events) log += lineOf(debug, await maskEvent(maskers, event));
  return log + maskers.stdout.end();
}

test.for(ways)("a secret in two pieces of a long message is masked, wherever it stands: %s", async ([_, open]) => {
  for (const length of [10, 3_990, 4_000, 16_380, 16_390, 40_000])
    for (const half of [4, 8, 13]) {
      const pieces = [`${"x ".repeat(length / 2)}${secret.slice(0, half)}`, `${secret.slice(half)} and more`];
      expect(await logOf(open, pieces)).toBe(`${"x ".repeat(length / 2)}******** and more\n`);
    }
});

test.for(ways)("a long message stays one text, however it comes: %s", async ([_, open]) => {
  const words = Array.from({ length: 10_000 }, (_, at) => `word ${at}\n`);
  expect(await logOf(open, ["\n", ...words, "\n"])).toBe(words.join(""));
});

test.for(ways)(
  "a secret is masked when the program prints something between two pieces of it: %s",
  async ([_, open]) => {
    const events: AgentEvent[] = [];
    const agent = open((event) => events.push(event));
    agent.say(`${"x ".repeat(20_000)}${secret.slice(0, 8)}`);
    events.push({ type: "log", stream: "stdout", text: "loading\n" });
    agent.say(`${secret.slice(8)} and more`);
    agent.end();
    events.push({ type: "log", stream: "stdout", text: "done\n" });
    expect(await logged(events.filter(({ type }) => type !== "status"))).toBe(
      `${"x ".repeat(20_000)}loading\n******** and more\ndone\n`,
    );
  },
);

test("no status stands in the middle of a long message by ACP", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const events: AgentEvent[] = [];
  const reader = new UpdateReader("/folder", (event) => events.push(event));
  const content = { type: "text", text: `${"word ".repeat(200)}` };
  for (let count = 0; count < 20; count += 1) {
    reader.read({ update: { sessionUpdate: "agent_message_chunk", content } });
    reader.read({ update: { sessionUpdate: "agent_thought_chunk", content } });
    vi.advanceTimersByTime(10_000);
  }
  reader.read({ update: { sessionUpdate: "notice", title: "Attention" } });
  const log = await logged(events);
  // Each word is whole, and each status has a line of its own.
  const status = /^· .*\n/gm;
  expect(log.match(status)).toContain("· Attention\n");
  expect(log.replaceAll(status, "").trim().split(" ")).toEqual(Array.from({ length: 4_000 }, () => "word"));
});
