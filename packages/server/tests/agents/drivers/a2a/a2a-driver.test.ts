// @module-tag soak

import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../../tools/soak-runs.ts";
import type { A2aSettings } from "../../../../src/agents/drivers/a2a/driver.ts";
import { a2aDriver } from "../../../../src/agents/drivers/a2a/index.ts";
import { follow, newFolder, ofType, plainHost, workIn } from "../../../support/agents/plain-host.ts";
import { type A2aScript, bytes, link, startA2aAgent, text } from "../../../support/agents/scripted-a2a-agent.ts";

const quick = { maxAttempts: 3, backoffFactor: 0.01, connectSeconds: 5, readSeconds: 5 };

async function setUp(script: A2aScript, settings: Partial<A2aSettings> = {}, env: Record<string, string> = {}) {
  const agent = await startA2aAgent(script);
  onTestFinished(() => agent.close());
  const folder = await newFolder();
  const host = plainHost(folder);
  const driver = a2aDriver(
    { url: agent.url, limits: { pollMs: 10 }, network: quick, ...settings },
    { env, fetch: (url, init) => fetch(url, init) },
  );
  const run = () => follow(driver.start(workIn(folder), host));
  return { agent, folder, host, driver, run };
}

const diff = (path: string, content: string) =>
  `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1 @@\n+${content}\n`;
const patch = (content: string) => text(content, { mediaType: "text/x-diff" });
const done = { is: "done" };

test("an agent elsewhere that hands in many files, and is stopped meanwhile, writes no more of them", async () => {
  const names = Array.from({ length: 500 }, (_, index) => `${index}.txt`);
  const steps = [{ artifact: names.map((filename) => text("x", { filename })) }];
  const { folder, driver, host } = await setUp({ steps });
  const started = driver.start(workIn(folder), host);
  for await (const event of started.events) if (event.type === "file") started.cancel();
  expect(await started.result).toMatchObject({ is: "failed", code: "agent_cancelled" });
  expect((await readdir(folder)).length).toBeLessThan(names.length);
});

test("an agent elsewhere that says more than can wait is heard out", async () => {
  const said = Array.from({ length: 12_000 }, (_, at) => String(at));
  const { run } = await setUp({ steps: [{ artifact: said.map((each) => text(each)) }] });
  const { report, events } = await run();
  expect(report).toEqual(done);
  expect(ofType(events, "message").map((event) => event.text)).toEqual(said);
});

describe.for([
  { title: "that streams", isStreaming: true },
  { title: "that is asked how far it is", isStreaming: false },
])("an agent elsewhere $title", ({ isStreaming }) => {
  test("is sent the task and the files, and its patch becomes the change", async () => {
    const { agent, folder, run, host } = await setUp({
      isStreaming,
      steps: [{ status: "thinking hard" }, { artifact: [text("I made it."), patch(diff("hello.txt", "hello"))] }],
    });
    await writeFile(join(folder, "old.txt"), "old");
    const { report, events } = await run();
    expect(report).toEqual(done);
    expect(await readFile(join(folder, "hello.txt"), "utf8")).toBe("hello\n");
    const [asked, files] = agent.messages[0]!.parts;
    expect(asked?.content).toMatchObject({ $case: "text", value: expect.stringContaining("Build the shop.") });
    expect(files).toMatchObject({ filename: "project.tar.gz", content: { $case: "raw" } });
    const sent = Buffer.from((files!.content as { value: Uint8Array }).value);
    expect(execFileSync("tar", ["-xzO", "./old.txt"], { input: sent, encoding: "utf8" })).toBe("old");
    expect(ofType(events, "message")).toEqual([{ type: "message", text: "I made it." }]);
    expect(host.handles).toHaveLength(1);
    if (isStreaming) expect(ofType(events, "status").map(({ text: said }) => said)).toContain("thinking hard");
    expect(agent.calls.includes("SendStreamingMessage")).toBe(isStreaming);
  });

  test("may hand in whole files, and patches by their names", async () => {
    const { folder, run } = await setUp({
      isStreaming,
      steps: [
        { artifact: [bytes(Buffer.from([0, 1, 2]), "src/deep/data.bin"), text("text\n", { filename: "a.txt" })] },
        { artifact: [bytes(Buffer.from(diff("b.txt", "b").trimEnd()), "change.patch")] },
      ],
    });
    expect((await run()).report).toEqual(done);
    expect(await readFile(join(folder, "src/deep/data.bin"))).toEqual(Buffer.from([0, 1, 2]));
    expect(await readFile(join(folder, "a.txt"), "utf8")).toBe("text\n");
    expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("b\n");
  });

  test.for([
    ["failed", "agent_failed", "The agent failed: no idea"],
    ["rejected", "agent_refused", "The agent refused the task: no idea"],
    ["input required", "agent_asks", "The agent asks for something, and nobody is there to answer it: no idea"],
    ["auth required", "agent_login", "The agent wants a login that it was not given: no idea"],
  ] as const)("says why it could not: %s", async ([end, code, message]) => {
    const { run } = await setUp({ isStreaming, steps: [{ status: "hm" }, { end, says: "no idea" }] });
    expect((await run()).report).toEqual({ is: "failed", code, message });
  });

  test("is asked to stop when its work is no longer wanted", async () => {
    const { agent, folder, driver, host } = await setUp({
      isStreaming,
      steps: [{ status: "at it" }, { until: new Promise(() => {}) }],
    });
    const started = driver.start(workIn(folder), host);
    const { report } = await follow(started, (event) => {
      if (event.type === "status" && event.text === "at it") started.cancel();
    });
    expect(report).toMatchObject({ is: "failed", code: "agent_cancelled" });
    expect(agent.cancelled).toEqual(host.handles);
  });

  test("may answer at once, without a task", async () => {
    const { folder, run } = await setUp({ isStreaming, steps: [{ answer: [text("x", { filename: "x.txt" })] }] });
    expect((await run()).report).toEqual(done);
    expect(await readdir(folder)).toEqual(["x.txt"]);
  });

  test("is found again by its task after a crash", async () => {
    const release = Promise.withResolvers<void>();
    const { agent, folder, driver, host } = await setUp({
      isStreaming,
      steps: [{ status: "at it" }, { until: release.promise }, { artifact: [patch(diff("late.txt", "late"))] }],
    });
    const kept = Promise.withResolvers<string>();
    const elsewhere = await newFolder();
    const saveHandle = async (handle: string) => kept.resolve(handle);
    const before = driver.start(workIn(elsewhere), { ...plainHost(elsewhere), saveHandle });
    void follow(before);
    const resumed = driver.resume!(await kept.promise, workIn(folder), host);
    const { report } = await follow(resumed, () => release.resolve());
    expect(report).toEqual(done);
    expect(agent.messages).toHaveLength(1);
    await before.result;
  });

  test("that no longer knows the task begins anew", async () => {
    const { agent, folder, driver, host } = await setUp({
      isStreaming,
      steps: [{ artifact: [patch(diff("a", "a"))] }],
    });
    const { report } = await follow(driver.resume!("no-such-task", workIn(folder), host));
    expect(report).toEqual(done);
    expect(agent.messages).toHaveLength(1);
  });
});

describe("what an agent elsewhere hands in", () => {
  test.for([["../out.txt"], ["/tmp/out.txt"], [".git/config"], ["leaves/out.txt"]])(
    "does not get out of the folder: %s",
    async ([path]) => {
      for (const artifact of [[text("x", { filename: path! })], [patch(diff(path!, "x"))]]) {
        const { folder, run } = await setUp({ steps: [{ artifact }] });
        const outside = await newFolder();
        await symlink(outside, join(folder, "leaves"));
        expect((await run()).report).toMatchObject({ is: "failed", code: "agent_result" });
        expect(await readdir(outside)).toEqual([]);
        expect(await readdir(folder)).toEqual(["leaves"]);
      }
    },
  );

  test("is a failure where the patch does not fit", async () => {
    const { run } = await setUp({ steps: [{ artifact: [patch("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n")] }] });
    expect((await run()).report).toMatchObject({
      message: expect.stringMatching(/^The agent's patch cannot be applied: error: .*No such file/),
    });
  });

  test("is not fetched from elsewhere", async () => {
    const { run } = await setUp({ steps: [{ artifact: [link("http://127.0.0.1:1/secret", "made.txt")] }] });
    expect((await run()).report).toEqual({
      is: "failed",
      code: "agent_result",
      message: "The agent sent a link to a file instead of the file itself: made.txt",
    });
  });

  test("is not asked for where the project is too large to send", async () => {
    const { agent, folder, run } = await setUp({});
    await mkdir(join(folder, "big"));
    const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(65_536)));
    await writeFile(
      join(folder, "big", "noise"),
      Buffer.concat(Array.from({ length: 160 }, () => Buffer.from(crypto.getRandomValues(noise)))),
    );
    expect((await run()).report).toMatchObject({ code: "too_large", message: expect.stringContaining("8 MiB") });
    expect(agent.messages).toEqual([]);
  });
});

describe("the way to an agent elsewhere", () => {
  test("begins at its card, which a probe reads", async () => {
    for (const script of [{}, { card: "of an older version" }] as const) {
      const { driver } = await setUp(script);
      expect(await driver.probe(AbortSignal.timeout(240_000))).toEqual({ isUsable: true, version: "Scripted 4.5.6" });
    }
  });

  test.for([
    ["none", /^There is no agent card at http.*\/\.well-known\/agent-card\.json \(status 404\)\.$/],
    ["garbage", /is not an agent card\.$/],
    [
      "leads elsewhere",
      /^The agent's card leads to http:\/\/127\.0\.0\.2:1, but the agent is at http:\/\/127\.0\.0\.1/,
    ],
  ] as const)("ends there where the card is no good: %s", async ([card, message]) => {
    const { driver, run } = await setUp({ card });
    expect((await run()).report).toMatchObject({ code: "agent_card", message: expect.stringMatching(message) });
    if (card !== "leads elsewhere")
      expect(await driver.probe(AbortSignal.timeout(240_000))).toMatchObject({
        reason: expect.stringMatching(message),
      });
  });

  test("needs the key that the operator names", async () => {
    const settings = { keyEnv: "A2A_KEY" };
    const good = await setUp({ key: "right", steps: [{ artifact: [patch(diff("a", "a"))] }] }, settings, {
      A2A_KEY: "right",
    });
    expect((await good.run()).report).toEqual(done);
    const wrong = await setUp({ key: "right" }, settings, { A2A_KEY: "wrong" });
    const message = "The agent does not accept the key (status 401).";
    expect((await wrong.run()).report).toEqual({ is: "failed", code: "agent_login", message });
    expect(await wrong.driver.probe(AbortSignal.timeout(240_000))).toEqual({ isUsable: false, reason: message });
    const without = await setUp({ key: "right" }, settings);
    expect((await without.run()).report).toMatchObject({
      code: "agent_key",
      message: expect.stringContaining("A2A_KEY"),
    });
    const unnamed = await setUp({ key: "right" });
    expect((await unnamed.run()).report).toMatchObject({ message: expect.stringContaining("key_env") });
  });

  test("is tried again while the agent is busy, as often as the document allows", async () => {
    const steps = [{ artifact: [patch(diff("a", "a"))] }];
    expect((await (await setUp({ busy: 2, steps })).run()).report).toEqual(done);
    const { run } = await setUp({ busy: 9, steps });
    const message = "The agent answered with status 503.";
    expect((await run()).report).toEqual({ is: "failed", code: "agent_unavailable", message });
  });

  test("is given up when the agent says nothing for too long", async () => {
    const network = { ...quick, connectSeconds: 0.1, readSeconds: 0.2 };
    const { agent, run } = await setUp({ deafTo: "SendMessage" }, { network });
    const message = "The agent did not answer within 0.3 seconds.";
    expect((await run()).report).toEqual({ is: "failed", code: "agent_unavailable", message });
    // It may have heard it, and be at work: it is not told twice.
    expect(agent.calls).toEqual(["SendMessage"]);
  });

  const task = (artifacts: string) =>
    `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[${artifacts}]}}}`;
  const emptyOnes = task(`${"{},".repeat(1_500_000)}{}`);
  const longOnes = task(`{"name":"${"x".repeat(9_000_000)}"}`);

  test.for(
    soakCases([
      ["many values", false, { type: "application/json", body: emptyOnes }],
      ["many values as an error", false, { type: "application/json", body: emptyOnes, status: 500 }],
      [
        "many values that pose as events",
        false,
        { type: "text/event-stream", body: emptyOnes.replaceAll(",", ",\n\n") },
      ],
      ["many values in an event", true, { type: "text/event-stream", body: `data: ${emptyOnes}\n\n` }],
      ["many values instead of events", true, { type: "application/json", body: emptyOnes }],
      ["many letters", false, { type: "application/json", body: longOnes }],
      ["many letters in an event", true, { type: "text/event-stream", body: `data: ${longOnes}\n\n` }],
    ] as const),
  )("brings no answer of %s", async ([, isStreaming, answers]) => {
    const { run } = await setUp({ isStreaming, answers });
    const { report } = await run();
    expect(report).toMatchObject({ is: "failed", message: expect.stringMatching(/too long|too many|maximum allowed/) });
  });

  const answerOf = (result: object) => ({
    type: "application/json",
    body: JSON.stringify({ jsonrpc: "2.0", id: 0, result }),
  });

  test("brings no wait for a task whose state nobody knows", async () => {
    const task = { id: "t", status: { state: "TASK_STATE_ODD" } };
    const { agent, run } = await setUp({ answers: answerOf({ ...task, task }) });
    const message = "The agent's task stays in a state that the protocol does not know.";
    expect((await run()).report).toEqual({ is: "failed", code: "agent_answer", message });
    expect(agent.calls.length).toBeLessThan(20);
  });

  test.for([
    { task: 7 },
    { task: { id: "t", status: { state: "TASK_STATE_COMPLETED" }, artifacts: [null] } },
    { task: { id: "t", status: { state: "TASK_STATE_COMPLETED" }, artifacts: [{ parts: [{ text: { of: 1 } }] }] } },
    { task: { id: {}, status: 7 } },
    { kind: "task", id: "t", status: { state: "completed" }, artifacts: [{ parts: [{ kind: "text", text: 7 }] }] },
    { kind: "task", id: "t", status: { state: "completed" }, artifacts: [{ parts: [{ kind: "file", file: 7 }] }] },
    { kind: "message", messageId: 1, parts: [{ kind: "text", text: null }] },
  ])("brings no words of JavaScript where values are of other types: %j", async (result) => {
    for (const card of [undefined, "of an older version"] as const) {
      const { run } = await setUp({ answers: answerOf(result), ...(card && { card }) });
      expect(JSON.stringify((await run()).report)).not.toMatch(/is not a function|Cannot|not iterable/);
    }
  });

  test("may break in the middle: what came of it is asked for", async () => {
    const { run } = await setUp({
      isStreaming: true,
      breaksStreamsAfter: 1,
      steps: [{ status: "at it" }, { artifact: [patch(diff("a", "a"))] }],
    });
    expect((await run()).report).toEqual(done);
  });

  test("about ever other tasks is not listened to: the first one is asked for, and no other kept", async () => {
    const { run, host } = await setUp({
      isStreaming: true,
      renamesTasks: true,
      steps: [{ status: "at it" }, { status: "still" }, { artifact: [patch(diff("a", "a"))] }],
    });
    expect((await run()).report).toEqual(done);
    expect(host.handles).toHaveLength(1);
  });

  test("ends in a failure that says so where nobody is there", async () => {
    const { driver } = await setUp({}, { url: "http://127.0.0.1:1" });
    const { isUsable, reason } = (await driver.probe(AbortSignal.timeout(240_000))) as {
      isUsable: false;
      reason: string;
    };
    expect(isUsable).toBe(false);
    expect(reason).toContain("The agent cannot be reached");
  });
});
