import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { acpDriver } from "../../../src/agents/drivers/acp/index.ts";
import { commandDriver } from "../../../src/agents/drivers/command/driver.ts";
import { plainProfile } from "../../../src/agents/drivers/command/profiles.ts";
import type { AgentEvent, AgentHost } from "../../../src/agents/drivers/driver.ts";
import { EventQueue } from "../../../src/agents/drivers/event-queue.ts";
import { runProgram } from "../../../src/agents/drivers/llm/tools/run-program.ts";
import { newFolder, plainHost, workIn } from "../../support/agents/plain-host.ts";

type Stream = "stdout" | "stderr";

const line = `${"x".repeat(63 * 1024)}\n`;
const lines = 300;
/** What may wait in the service. */
const maxRead = 50;
/** Enough for everything to be read by who does not wait. */
const turns = 20_000;

/** A host whose program prints whenever it is read, and ends when all was read. */
async function printingHost(stream: Stream) {
  const folder = await newFolder();
  const ended = Promise.withResolvers<{ exitCode: number }>();
  let taken = 0;
  async function* print() {
    for (; taken < lines; taken += 1) {
      await nextTurn();
      yield Buffer.from(line);
    }
    yield Buffer.from("the end\n");
    ended.resolve({ exitCode: 0 });
  }
  const printed = Readable.from(print(), { objectMode: false });
  const quiet = new PassThrough();
  const start: AgentHost["start"] = () => ({
    stdin: new PassThrough().resume(),
    stdout: stream === "stdout" ? printed : quiet,
    stderr: stream === "stderr" ? printed : quiet,
    ended: ended.promise.finally(() => quiet.end()),
    kill: () => ended.resolve({ exitCode: 0 }),
  });
  return { host: { ...plainHost(folder), start }, work: workIn(folder), taken: () => taken };
}

/** Takes no event until all has been read that will be; returns the last output. */
async function readLate(events: AsyncIterable<AgentEvent>, taken: () => number): Promise<string> {
  for (let turn = 0; turn < turns && taken() < lines; turn += 1) await nextTurn();
  expect(taken()).toBeLessThan(maxRead);
  let last = "";
  for await (const event of events) if (event.type === "log") last = event.text.slice(-100);
  expect(taken()).toBe(lines);
  return last;
}

test.for<Stream>(["stdout", "stderr"])("%s of a command-line agent waits for its reader", async (stream) => {
  const { host, work, taken } = await printingHost(stream);
  const run = commandDriver(plainProfile, { command: "anything" }, {}).start(work, host);
  expect(await readLate(run.events, taken)).toContain("the end");
  expect(await run.result).toEqual({ is: "done" });
});

test.for<Stream>(["stdout", "stderr"])("%s of an agent by the protocol waits for its reader", async (stream) => {
  const { host, work, taken } = await printingHost(stream);
  const limits = { exitGraceMs: 100, answerMs: 60_000 };
  const run = acpDriver({ command: "anything", args: [], limits }, host).start(work, host);
  expect(await readLate(run.events, taken)).toContain("the end");
  expect(await run.result).toMatchObject({ is: "failed", code: "agent_ended" });
});

test("a program that a model runs waits for the reader, and the end of its output is told", async () => {
  const { host, work, taken } = await printingHost("stdout");
  const events = new EventQueue();
  const context = {
    folder: work.folder,
    host,
    signal: host.signal,
    emit: (event: AgentEvent) => events.push(event),
    whenRoom: () => events.whenRoom(),
    runSeconds: { default: 60, max: 60 },
  };
  const program = { command: "anything", args: [] };
  const running = runProgram(context, program, { limitMs: 60_000, isLogged: true }).finally(() => events.close());
  expect(await readLate(events, taken)).toContain("the end");
  expect((await running).output).toMatch(/the end\n$/);
});

test("a reader that leaves holds up nobody", async () => {
  const events = new EventQueue();
  const fill = () => events.push({ type: "log", stream: "stdout", text: "x".repeat(4 * 1024 * 1024) });
  fill();
  fill();
  const waiting = events.whenRoom();
  for await (const _ of events) break;
  await waiting;
  fill();
  await events.whenRoom();
});

test("a driver that does not wait has left out what its log says, and never what was used", async () => {
  const events = new EventQueue();
  const push = (from: number, to: number) => {
    for (let at = from; at < to; at += 1) events.push({ type: "log", stream: "stdout", text: `${at}\n` });
  };
  push(0, 10_000);
  push(10_000, 25_000);
  events.push({ type: "usage", inputTokens: 1, outputTokens: 2 });
  const heard: AgentEvent[] = [];
  for await (const event of events) {
    heard.push(event);
    if (heard.length !== 10_000) continue;
    push(25_000, 25_010);
    events.close();
  }
  const texts = heard.flatMap((event) => (event.type === "log" ? [event.text] : []));
  expect(texts.slice(0, 10_000)).toEqual(Array.from({ length: 10_000 }, (_, at) => `${at}\n`));
  expect(texts.slice(10_000)).toEqual([
    "… 15000 more events were left out\n",
    ...Array.from({ length: 10 }, (_, at) => `${25_000 + at}\n`),
  ]);
  expect(heard.filter(({ type }) => type === "usage")).toHaveLength(1);
});
