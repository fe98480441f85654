import type { WorkerEvent } from "@slipway/contract";
import { expect, onTestFinished, test } from "vitest";
import type { UnnumberedEvent } from "../../../src/agents/index.ts";
import { EventSender } from "../../../src/app/worker/event-sender.ts";
import { LeaseLog } from "../../../src/app/worker/lease-log.ts";
import { ServiceRefusal } from "../../../src/app/worker/service-calls.ts";
import type { Masked } from "../../../src/platform/secrets/index.ts";

const line = (text: string): UnnumberedEvent => ({ type: "log", stream: "stdout", text: `${text}\n` });
const status = (text: string): UnnumberedEvent => ({ type: "status", text });

/** A service that is away until it is told to answer, and takes what `mayTake` lets it. */
function startSender(mayTake: (event: WorkerEvent) => boolean = () => true) {
  const back = Promise.withResolvers<void>();
  const taken: WorkerEvent[] = [];
  let isLost = false;
  const sender = new EventSender({
    send: async (events) => {
      await back.promise;
      if (!events.every(mayTake)) throw new ServiceRefusal(400, "It is not valid.");
      taken.push(...events);
      return { is_cancelled: false };
    },
    onLost: () => {
      isLost = true;
    },
  });
  onTestFinished(() => back.resolve());
  const flush = () => {
    back.resolve();
    return sender.flush();
  };
  return { sender, taken, flush, isLost: () => isLost };
}

function outputOf(events: readonly WorkerEvent[]): string[] {
  const texts = events.flatMap((event) => (event.type === "log" ? [event.text] : []));
  return texts.join("").split("\n").slice(0, -1);
}

test("all that an agent prints while the service is away arrives, in order", async () => {
  const { sender, taken, flush } = startSender();
  const lines = Array.from({ length: 20_000 }, (_, at) => `step ${at}`);
  for (const text of lines) {
    sender.push(line(text));
    await sender.whenRoom();
  }
  await flush();
  expect(outputOf(taken)).toEqual(lines);
  expect(taken.map(({ sequence }) => sequence)).toEqual(taken.map((_, at) => at + 1));
});

test("an agent that does more than can wait is held up, and nothing of it is lost", async () => {
  const { sender, taken, flush } = startSender();
  const steps = Array.from({ length: 3_000 }, (_, at) => `step ${at}`);
  let told = 0;
  const telling = (async () => {
    for (const text of steps) {
      await sender.whenRoom();
      sender.push(status(text));
      sender.push({ type: "usage", input_tokens: 2, output_tokens: 1, cost_usd: 0.25 });
      told += 1;
    }
  })();
  for (let turn = 0; turn < 10 * steps.length; turn += 1) await Promise.resolve();
  expect(told).toBeLessThan(steps.length);
  const flushing = flush();
  await telling;
  await flushing;
  await sender.flush();
  expect(taken.flatMap((event) => (event.type === "status" ? [event.text] : []))).toEqual(steps);
  let [input, output, cost] = [0, 0, 0];
  for (const event of taken) {
    if (event.type !== "usage") continue;
    input += event.input_tokens;
    output += event.output_tokens;
    cost += event.cost_usd ?? 0;
  }
  expect([input, output, cost]).toEqual([6_000, 3_000, 750]);
});

test("of events that the service refuses together, only what it refuses alone is left out, and told", async () => {
  const { sender, taken, flush, isLost } = startSender((event) => event.type !== "status" || event.text !== "odd");
  for (const text of ["one", "odd", "two"]) sender.push(status(text));
  sender.push(line("the end"));
  await flush();
  expect(taken).toEqual([
    { sequence: 1, ...status("one") },
    { sequence: 2, ...line("… 1 event left out, because the service did not take it") },
    { sequence: 3, ...status("two") },
    { sequence: 4, ...line("the end") },
  ]);
  expect(isLost()).toBe(false);
});

test("a lease that is lost holds up no agent", async () => {
  const sender = new EventSender({
    send: async () => {
      throw new ServiceRefusal(409, "It is somebody else's.");
    },
    onLost: () => undefined,
  });
  for (let at = 0; at < 2_000; at += 1) sender.push(status(String(at)));
  await sender.whenRoom();
  await sender.flush();
});

test("what an agent prints is output, whatever it looks like; what it does is told as such", async () => {
  const sent: UnnumberedEvent[] = [];
  const sender = { push: (event: UnnumberedEvent) => void sent.push(event), whenRoom: async () => undefined };
  const log = new LeaseLog({ projectId: "p", source: "agent", taskId: "t", attempt: 1, agentId: "a" }, sender);
  const printed = "· step 1\n→ tests all 12 pass\n";
  const write = (text: string, event?: Parameters<LeaseLog["write"]>[1]) => log.write(text as Masked, event);
  write(printed, { type: "log", stream: "stdout", text: printed });
  write("· thinking\0\n", { type: "status", text: "thinking\0" });
  write("→ edit a.txt\n", { type: "tool", name: "edit", detail: "a.txt", isDone: false });
  // The service takes no such name: it gets the line.
  const name = "x".repeat(600);
  write(`→ ${name} \n`, { type: "tool", name, detail: "", isDone: false });
  const long = "ü".repeat(150_000);
  write(`· ${long}\n`, { type: "status", text: long });
  write("· used 1 + 2 tokens\n", { type: "usage", inputTokens: 1, outputTokens: 2 });
  // The document wants no line of it.
  write("", { type: "status", text: "unwanted" });
  log.end();
  expect(outputOf(sent.splice(4) as WorkerEvent[])).toEqual([`· ${long}`]);
  expect(sent).toEqual([
    { type: "log", stream: "stdout", text: printed },
    { type: "status", text: "thinking\ufffd" },
    { type: "tool", name: "edit", detail: "a.txt", is_done: false },
    line(`→ ${name} `),
  ]);
});

test("how much of an agent's output was left out has room in the service's log", async () => {
  const sent: UnnumberedEvent[] = [];
  const sender = { push: (event: UnnumberedEvent) => void sent.push(event), whenRoom: async () => undefined };
  const log = new LeaseLog({ projectId: "p", source: "agent", taskId: "t", attempt: 1, agentId: "a" }, sender);
  const text = `${"x".repeat(1023)}\n`.repeat(1024) as Masked;
  for (let mebibytes = 0; mebibytes < 6; mebibytes += 1) log.write(text);
  log.end();
  const texts = sent.flatMap((event) => (event.type === "log" ? [event.text] : []));
  const length = texts.join("").length;
  expect(length).toBeLessThan(4 * 1024 * 1024);
  const note = texts.at(-1)!;
  expect(note).toBe(`… ${6 * 1024 * 1024 - (length - note.length)} more bytes were left out\n`);
});
