import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { EventQueue } from "../../../src/agents/drivers/event-queue.ts";
import { type AgentDriver, supervise } from "../../../src/agents/index.ts";
import { newFolder, plainHost, workIn } from "../../support/agents/plain-host.ts";

const texts = Array.from({ length: 2_000 }, (_, at) => `${at}\n`);

/** An agent that prints, and waits for its reader. */
const printing: AgentDriver = {
  kind: "command",
  probe: async () => ({ isUsable: true, version: "" }),
  start: () => {
    const events = new EventQueue();
    const result = (async () => {
      for (const text of texts) {
        await events.whenRoom();
        events.push({ type: "log", stream: "stdout", text });
      }
      events.close();
      return { is: "done" } as const;
    })();
    return { events, result, cancel: () => events.close() };
  },
};

test("an agent waits for a log that is full: that it does nothing is not its fault", async () => {
  const folder = await newFolder();
  const written: string[] = [];
  const isFull = () => written.length === 500;
  const heldUp: boolean[] = [];
  let timesFull = 0;
  let isHeldUp = () => false;
  const { outcome } = await supervise({
    ...{ driver: printing, work: workIn(folder), secrets: [], handle: undefined },
    limits: { minutes: 10, minuteMs: 60_000, idleMs: undefined, maxTokens: undefined, maxCostUsd: undefined },
    log: {
      write: (text) => {
        written.push(text);
        heldUp.push(isHeldUp());
      },
      whenRoom: async () => {
        if (!isFull()) return;
        timesFull += 1;
        // All that can happen happens first.
        for (let turn = 0; turn < 1_000; turn += 1) await nextTurn();
        expect(isFull()).toBe(true);
        expect(isHeldUp()).toBe(true);
      },
      end: () => undefined,
    },
    signal: new AbortController().signal,
    onProgress: () => undefined,
    decide: async () => false,
    makeHost: (_, waits) => {
      isHeldUp = waits;
      return {
        ...plainHost(folder),
        ...{ broken: new Promise(() => undefined), lastActivityMs: () => 0, end: async () => undefined },
      };
    },
  });
  expect(outcome).toEqual({ is: "completed" });
  expect(timesFull).toBe(1);
  expect(heldUp).not.toContain(true);
  expect(written.join("")).toBe(texts.join(""));
});
