// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { soakCases } from "../../../../../../tools/soak-runs.ts";
import { acpDriver } from "../../../../src/agents/drivers/acp/index.ts";
import { UpdateReader } from "../../../../src/agents/drivers/acp/read-update.ts";
import type { AgentEvent } from "../../../../src/agents/drivers/driver.ts";
import { follow, newFolder, ofType, plainHost, workIn } from "../../../support/agents/plain-host.ts";
import type { AcpScript } from "../../../support/agents/scripted-acp-agent.ts";
import { until } from "../../../support/until.ts";

const agentProgram = fileURLToPath(new URL("../../../support/agents/scripted-acp-agent.ts", import.meta.url));

type Limits = Partial<Record<"answerMs" | "cancelMs", number>>;

async function setUp(script: AcpScript, { mode, ...limits }: Limits & { mode?: string } = {}) {
  const folder = await newFolder();
  const host = plainHost(folder);
  const args = [agentProgram, JSON.stringify(script)];
  const driver = acpDriver(
    { command: process.execPath, args, limits: { exitGraceMs: 100, ...limits }, ...(mode && { mode }) },
    host,
  );
  const notes = async () => (await readFile(join(folder, ".agent-notes"), "utf8").catch(() => "")).trim().split("\n");
  return { folder, host, driver, notes };
}

const edit = {
  sessionUpdate: "tool_call",
  toolCallId: "call-1",
  title: "Write hello.txt",
  kind: "edit",
  status: "pending",
};

describe("an agent that works", () => {
  test("is told its task in its folder, changes files, and is done", async () => {
    const { folder, host, driver, notes } = await setUp({
      steps: [{ say: "I write the file now." }, { write: "hello.txt", text: "hello" }],
    });
    const { report, events } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(await readFile(join(folder, "hello.txt"), "utf8")).toBe("hello");
    expect(await notes()).toEqual([
      expect.stringMatching(/^initialize .*"readTextFile":false,"writeTextFile":false.*"terminal":false/),
      `new ${folder}`,
      "prompt Build the shop.",
    ]);
    expect(ofType(events, "message")).toEqual([{ type: "message", text: "I write the file now." }]);
  });

  test("is known by its session before it is prompted", async () => {
    const { folder, host, driver, notes } = await setUp({});
    let notesThen: string[] = [];
    const { report } = await follow(
      driver.start(workIn(folder), {
        ...host,
        saveHandle: async (handle) => {
          await host.saveHandle(handle);
          notesThen = await notes();
        },
      }),
    );
    expect(report).toEqual({ is: "done" });
    expect(host.handles).toEqual(["session-new"]);
    expect(notesThen.join()).not.toContain("prompt");
  });

  test("lets know its plan, its tools, the files it touched and what it cost", async () => {
    const entry = (content: string) => ({ content, priority: "high", status: "pending" });
    const { folder, host, driver } = await setUp({
      steps: [
        { update: { sessionUpdate: "plan", entries: [entry("look"), entry("write")] } },
        { update: { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" } } },
        { update: edit },
        {
          update: {
            sessionUpdate: "tool_call_update",
            toolCallId: "call-1",
            status: "completed",
            content: [{ type: "diff", path: "hello.txt", newText: "hello" }],
          },
        },
        { update: { sessionUpdate: "usage_update", used: 10, size: 100, cost: { amount: 0.25, currency: "USD" } } },
        { update: { sessionUpdate: "usage_update", used: 20, size: 100, cost: { amount: 0.75, currency: "USD" } } },
        { update: { sessionUpdate: "made_up_yesterday", what: 1 } },
        { update: { sessionUpdate: "plan" } },
        { update: null },
      ],
      usage: { totalTokens: 150, inputTokens: 80, cachedReadTokens: 20, outputTokens: 40, thoughtTokens: 10 },
    });
    const { events, report } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(ofType(events, "plan")).toEqual([{ type: "plan", entries: ["look", "write"] }]);
    expect(ofType(events, "tool")).toEqual([
      { type: "tool", name: "edit", detail: "Write hello.txt", isDone: false },
      { type: "tool", name: "edit", detail: "Write hello.txt", isDone: true },
    ]);
    expect(ofType(events, "file")).toEqual([{ type: "file", path: "hello.txt", change: "written" }]);
    expect(ofType(events, "status").map(({ text }) => text)).toContain("thinking");
    expect(ofType(events, "usage")).toEqual([
      { type: "usage", inputTokens: 0, outputTokens: 0, costUsd: 0.25 },
      { type: "usage", inputTokens: 0, outputTokens: 0, costUsd: 0.5 },
      { type: "usage", inputTokens: 100, outputTokens: 50 },
    ]);
  });

  test("is put into the mode that is wanted", async () => {
    const { folder, host, driver, notes } = await setUp({ modes: ["ask", "full"] }, { mode: "full" });
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    expect((await notes()).slice(-2)).toEqual(["mode full", "prompt Build the shop."]);
    const other = await setUp({ modes: ["ask", "full"] }, { mode: "fast" });
    const { report } = await follow(other.driver.start(workIn(other.folder), other.host));
    const message = "The agent has no mode 'fast'; it has: ask, full.";
    expect(report).toEqual({ is: "failed", code: "agent_mode", message });
    const modes = { availableModes: [null, 7, { id: {} }], currentModeId: null };
    const odd = await setUp({ answers: { "session/new": { sessionId: "s", modes } } }, { mode: "fast" });
    expect((await follow(odd.driver.start(workIn(odd.folder), odd.host))).report).toMatchObject({
      message: "The agent has no mode 'fast'; it has: none.",
    });
  });

  test("may talk on its standard output before and between messages", async () => {
    const { folder, host, driver } = await setUp({
      atStart: "banner",
      steps: [{ print: "a library says something" }, { write: "a.txt", text: "a" }],
    });
    const { report, events } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(ofType(events, "log").map(({ text }) => text)).toEqual(
      expect.arrayContaining(["An agent\n", '{"not": "a message"}\n', "a library says something\n"]),
    );
  });

  test("says only that it is done: what counts is what it changed", async () => {
    const { folder, host, driver } = await setUp({ steps: [{ say: "Done!" }] });
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
  });

  test("hands in its task breakdown if it is the planner", async () => {
    const { folder, host, driver } = await setUp({ steps: [{ write: ".slipway/tasks.yaml", text: "tasks: []\n" }] });
    const { report } = await follow(driver.start(workIn(folder, { role: "planner" }), host));
    expect(report).toEqual({ is: "done", breakdown: "tasks: []\n" });
    await expect(readFile(join(folder, ".slipway"))).rejects.toThrow("ENOENT");
  });
});

describe("an agent that asks for permission", () => {
  const asking = (...kinds: ("allow_once" | "allow_always" | "reject_once" | "reject_always")[]): AcpScript => ({
    steps: [{ ask: "rm -rf build", kinds }],
  });

  test.for(
    soakCases([
      { isAllowed: true, script: asking("allow_always", "allow_once", "reject_once"), answer: "the-allow_once" },
      { isAllowed: true, script: asking("allow_always", "reject_once"), answer: "the-allow_always" },
      { isAllowed: false, script: asking("allow_once", "reject_always"), answer: "the-reject_always" },
      { isAllowed: true, script: asking("reject_once"), answer: "the-reject_once" },
      { isAllowed: false, script: asking("allow_once"), answer: "cancelled" },
    ]),
  )("is answered with $answer if allowed is $isAllowed", async ({ isAllowed, script, answer }) => {
    const { folder, host, driver, notes } = await setUp(script);
    const run = driver.start(workIn(folder), host);
    const { events, report } = await follow(run, (event) => {
      if (event.type === "permission") run.respond!(event.id, isAllowed);
    });
    expect(ofType(events, "permission")).toEqual([
      { type: "permission", id: expect.any(String), title: "rm -rf build", tool: "execute" },
    ]);
    expect(await notes()).toContain(`answer ${answer}`);
    expect(report).toEqual({ is: "done" });
  });

  test("waits while nobody answers, and hears that it is cancelled", async () => {
    const { folder, host, driver, notes } = await setUp({ ...asking("allow_once"), stopReason: "cancelled" });
    const run = driver.start(workIn(folder), host);
    const { report } = await follow(run, (event) => {
      if (event.type === "permission") run.cancel();
    });
    expect(report).toMatchObject({ is: "failed", code: "agent_cancelled" });
    expect(await notes()).toContain("answer cancelled");
  });
});

describe("an agent that does not end well", () => {
  test.for(
    soakCases([
      ["refusal", "agent_refused"],
      ["max_tokens", "agent_tokens"],
      ["max_turn_requests", "agent_steps"],
      ["cancelled", "agent_cancelled"],
    ] as const),
  )("has failed when it stops because of %s", async ([stopReason, code]) => {
    const { folder, host, driver } = await setUp({ stopReason });
    expect((await follow(driver.start(workIn(folder), host))).report).toMatchObject({ is: "failed", code });
  });

  test.for(
    soakCases([
      {
        script: { atStart: "exit" },
        code: "agent_ended",
        text: "exit code 3 before it was done. Its last output: no model",
      },
      { script: { atStart: "garbage" }, code: "agent_protocol", text: "does not speak the Agent Client Protocol" },
      { script: { atStart: "hang" }, code: "agent_silent", text: "did not answer initialize within 1 seconds" },
      { script: { atStart: "requests" }, code: "agent_protocol", text: "1000 requests without taking the answers" },
      { script: { atStart: "other version" }, code: "agent_protocol", text: "version 7" },
      { script: { answers: { initialize: null } }, code: "agent_protocol", text: "version none" },
      {
        script: { answers: { initialize: { protocolVersion: { toString: 7 } } } },
        code: "agent_protocol",
        text: 'version {"toString":7}',
      },
      { script: { answers: { "session/new": null } }, code: "agent_protocol", text: "without the id of a session" },
      { script: { answers: { "session/new": { sessionId: 7 } } }, code: "agent_protocol", text: "without the id" },
      { script: { answers: { "session/prompt": null } }, code: "agent_protocol", text: "stopped without a reason" },
      {
        script: { answers: { "session/prompt": { stopReason: { is: "odd" } } } },
        code: "agent_protocol",
        text: "stopped without a reason",
      },
      { script: { login: true }, code: "agent_login", text: "not logged in" },
      { script: { steps: [{ exit: 9, complain: "panic" }] }, code: "agent_ended", text: "exit code 9" },
      {
        script: { steps: [{ refuse: { code: -32_603, message: "Internal error" } }] },
        code: "agent_failed",
        text: "Internal error (the model said no)",
      },
    ] satisfies { script: AcpScript; code: string; text: string }[]),
  )("$code: $text", async ({ script, code, text }) => {
    const { folder, host, driver } = await setUp(script, script.atStart === "hang" ? { answerMs: 1000 } : {});
    const { report } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "failed", code, message: expect.stringContaining(text) });
  });

  test("cannot keep the service busy with what it prints", { tags: "long" }, async () => {
    const { folder, host, driver } = await setUp({
      steps: [{ print: "x".repeat(1000), times: 20_000 }, { say: "ok" }],
    });
    const { report, events } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(ofType(events, "message")).toEqual([{ type: "message", text: "ok" }]);
  });
});

describe("what an agent tells of its tool calls", () => {
  const call = (id: string, more: object) => ({ update: { sessionUpdate: "tool_call", toolCallId: id, ...more } });

  test("names a hundred files at most", () => {
    const events: AgentEvent[] = [];
    const reader = new UpdateReader("/folder", (event) => events.push(event));
    const locations = Array.from({ length: 150_000 }, (_, place) => ({ path: `/folder/${place}` }));
    reader.read(call("1", { title: "Edit", kind: "edit", status: "completed", locations }));
    expect(ofType(events, "file")).toHaveLength(100);
    expect(ofType(events, "file")[99]).toEqual({ type: "file", path: "99", change: "written" });
  });

  test("is kept without what was cut off", { tags: "long" }, () => {
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    const reader = new UpdateReader("/folder", () => {});
    const long = (id: string) => `${id}${"x".repeat(2 ** 20)}`;
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let round = 0; round < 100; round += 1) {
      const locations = [{ path: `/folder/${long(`${round}`)}` }];
      reader.read(JSON.parse(JSON.stringify(call(`${round}`, { title: long("t"), kind: "edit", locations }))));
      reader.read(JSON.parse(JSON.stringify(call(long(`${round}`), { title: "Edit", kind: "edit" }))));
    }
    collect();
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(30 * 2 ** 20);
    // Read here, so that it is there until now.
    reader.flush();
  });
});

describe("an agent that hangs", () => {
  test("is asked to stop", async () => {
    const { folder, host, driver, notes } = await setUp({ steps: [{ hang: "politely" }] });
    const run = driver.start(workIn(folder), host);
    await until(async () => (await notes()).some((line) => line.startsWith("prompt")));
    run.cancel();
    expect(await run.result).toMatchObject({ is: "failed", code: "agent_cancelled" });
    expect(await notes()).toContain("cancel");
  });

  test("is ended when it does not listen", async () => {
    const { folder, host, driver, notes } = await setUp({ steps: [{ hang: "deafly" }] }, { cancelMs: 100 });
    const run = driver.start(workIn(folder), host);
    await until(async () => (await notes()).some((line) => line.startsWith("prompt")));
    host.abort();
    expect(await run.result).toMatchObject({ is: "failed", code: "agent_cancelled" });
  });

  test("is not even started when its result is no longer wanted", async () => {
    const { folder, host, driver } = await setUp({});
    host.abort();
    expect(await driver.start(workIn(folder), host).result).toMatchObject({ is: "failed", code: "agent_cancelled" });
    expect(host.programs).toEqual([]);
  });
});

describe("after a crash", () => {
  test("its session goes on, and what it said before is not told again", async () => {
    const { folder, host, driver, notes } = await setUp({ loads: "always", steps: [{ say: "going on" }] });
    const { report, events } = await follow(driver.resume!("session-7", workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(ofType(events, "message").map(({ text }) => text)).toEqual(["going on"]);
    expect(host.handles).toEqual(["session-7"]);
    expect((await notes()).join("\n")).toMatch(/load session-7\nprompt Build the shop\./);
  });

  test.for(["never", "not this one"] as const)("a new session begins where it loads %s", async (loads) => {
    const { folder, host, driver, notes } = await setUp({ loads, steps: [] });
    expect((await follow(driver.resume!("session-7", workIn(folder), host))).report).toEqual({ is: "done" });
    expect(host.handles).toEqual(["session-new"]);
    expect((await notes()).at(-1)).toBe("prompt Build the shop.");
  });
});

describe("probe", () => {
  const never = new AbortController().signal;

  test("tells the version of an agent that answers", async () => {
    const { driver } = await setUp({});
    expect(await driver.probe(never)).toEqual({ isUsable: true, version: "1.2.3" });
  });

  test("says why an agent cannot be used", async () => {
    const { driver } = await setUp({ atStart: "exit" });
    expect(await driver.probe(never)).toMatchObject({ isUsable: false, reason: expect.stringContaining("no model") });
    const folder = await newFolder();
    const missing = acpDriver({ command: join(folder, "no-such-agent") }, plainHost(folder));
    expect(await missing.probe(never)).toMatchObject({ isUsable: false, reason: expect.stringContaining("no-such") });
    await writeFile(join(folder, "not-a-program"), "", { mode: 0o600 });
    const closed = acpDriver({ command: join(folder, "not-a-program") }, plainHost(folder));
    expect(await closed.probe(never)).toMatchObject({ isUsable: false });
  });
});
