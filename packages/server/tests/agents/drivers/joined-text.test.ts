import { expect, test } from "vitest";
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
  const maskers = { stdout: new Masker([secret]), stderr: new Masker([secret]) };
  let log = "";
  for (const event of events) if (event.type !== "status") log += lineOf(debug, await maskEvent(maskers, event));
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
