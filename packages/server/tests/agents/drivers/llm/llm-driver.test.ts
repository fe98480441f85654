// @module-tag soak
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { soakCases } from "../../../../../../tools/soak-runs.ts";
import { llmDriver } from "../../../../src/agents/drivers/llm/index.ts";
import { key, setUp } from "../../../support/agents/llm-stage.ts";
import { follow, ofType, workIn } from "../../../support/agents/plain-host.ts";
import { type ModelScript, type ModelStep, startScriptedModel } from "../../../support/agents/scripted-model.ts";
import { until } from "../../../support/until.ts";

describe("a model that works", () => {
  test("edits files by its tools, and is done", async () => {
    const { model, folder, host, driver } = await setUp([
      { text: "First I look.", calls: [{ name: "list", input: {} }] },
      {
        calls: [
          { name: "write", input: { path: "src/shop.ts", content: "export const price = 1;\n" } },
          { name: "edit", input: { path: "src/shop.ts", old_text: "price = 1", new_text: "price = 2" } },
        ],
      },
      { calls: [{ name: "run", input: { command: "cat src/shop.ts" } }] },
      { text: "The shop is there." },
    ]);
    const { report, events } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(await readFile(join(folder, "src/shop.ts"), "utf8")).toBe("export const price = 2;\n");
    expect(ofType(events, "message").map(({ text }) => text)).toEqual(["First I look.", "The shop is there."]);
    expect(ofType(events, "file").map(({ path, change }) => `${change} ${path}`)).toEqual([
      "written src/shop.ts",
      "written src/shop.ts",
    ]);
    expect(ofType(events, "tool").filter(({ isDone }) => isDone)).toHaveLength(4);
    expect(ofType(events, "log").map(({ text }) => text)).toEqual(["export const price = 2;\n"]);
    const [first] = model.questions;
    expect(first!.headers.authorization).toBe(`Bearer ${key}`);
    expect(first!.body.messages.at(-1)).toEqual({ role: "user", content: "Build the shop." });
    expect(first!.body.tools.map((tool: { function: { name: string } }) => tool.function.name)).toEqual([
      "list",
      "read",
      "write",
      "edit",
      "search",
      "run",
    ]);
  });

  test("says only that it is done: what counts is what it changed", async () => {
    const { folder, host, driver } = await setUp([{ text: "Done, all is built!" }]);
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("hands in its task breakdown if it is the planner", async () => {
    const write = { name: "write", input: { path: ".slipway/tasks.yaml", content: "tasks: []\n" } };
    const { folder, host, driver } = await setUp([{ calls: [write] }]);
    const { report } = await follow(driver.start(workIn(folder, { role: "planner" }), host));
    expect(report).toEqual({ is: "done", breakdown: "tasks: []\n" });
    expect(await readdir(folder)).toEqual([]);
  });

  test("has its tokens counted, and its cost where a price is known", async () => {
    const script: ModelStep[] = [
      { calls: [{ name: "list", input: {} }], usage: { input: 1000, output: 100 } },
      { calls: [{ name: "list", input: {} }], usage: null },
      { text: "Done.", usage: { input: 2000, output: 50 } },
    ];
    const { folder, host, driver } = await setUp(script, { price: { input: 2, output: 10 } });
    const { events } = await follow(driver.start(workIn(folder), host));
    expect(ofType(events, "usage")).toEqual([
      { type: "usage", inputTokens: 1000, outputTokens: 100, costUsd: 0.003 },
      { type: "usage", inputTokens: 2000, outputTokens: 50, costUsd: 0.0045 },
    ]);
    const unpriced = await setUp([{ text: "Done." }]);
    const followed = await follow(unpriced.driver.start(workIn(unpriced.folder), unpriced.host));
    expect(ofType(followed.events, "usage")).toEqual([{ type: "usage", inputTokens: 100, outputTokens: 10 }]);
  });
});

describe("a model that does not end well", () => {
  test("has failed when it goes round in circles", async () => {
    const again: ModelScript = () => ({ calls: [{ name: "list", input: {} }] });
    const limits = { maxSteps: 7 };
    const { model, folder, host, driver } = await setUp(again, { limits });
    const { report } = await follow(driver.start(workIn(folder), host));
    expect(report).toMatchObject({ is: "failed", code: "agent_steps", message: expect.stringContaining("7 steps") });
    expect(model.questions).toHaveLength(7);
  });

  test.for(["at once", "midway"] as const)("stops when it is told to, though it hangs %s", async (hang) => {
    const { model, folder, host, driver } = await setUp([{ hang }]);
    const run = driver.start(workIn(folder), host);
    await until(() => model.questions.length === 1);
    run.cancel();
    expect(await run.result).toMatchObject({ is: "failed", code: "agent_cancelled" });
  });

  test("stops in the middle of a command", async () => {
    const run = { name: "run", input: { command: "echo begun; sleep 60; echo over > late.txt" } };
    const { folder, host, driver } = await setUp([{ calls: [run] }]);
    const { report, events } = await follow(driver.start(workIn(folder), host), (event) => {
      if (event.type === "log") host.abort();
    });
    expect(report).toMatchObject({ is: "failed", code: "agent_cancelled" });
    expect(ofType(events, "log").map(({ text }) => text)).toEqual(["begun\n"]);
  });

  test.for(soakCases(["at once", "midway"] as const))(
    "is given up when it hangs %s, again and again",
    { tags: "long" },
    async (hang) => {
      const network = { connectSeconds: 0.4, readSeconds: 0.3, maxAttempts: 2, backoffFactor: 1 };
      const { model, folder, host, driver } = await setUp(() => ({ hang }), { network });
      const { report } = await follow(driver.start(workIn(folder), host));
      const message = expect.stringMatching(/did not answer within 0\.[37] seconds/);
      expect(report).toEqual({ is: "failed", code: "model_unavailable", message });
      // A busy machine may hear of the question only after its asker has gone.
      await expect.poll(() => model.questions.length).toBe(2);
    },
  );

  test("is not listened to when it asks for thousands of calls at once", async () => {
    const calls = Array.from({ length: 2_000 }, () => ({ name: "list", input: {} }));
    const { folder, host, driver } = await setUp([{ calls }]);
    const { report } = await follow(driver.start(workIn(folder), host));
    const message = expect.stringContaining("more than 256 tool calls");
    expect(report).toEqual({ is: "failed", code: "model_answer", message });
  });

  test.for(
    soakCases([
      ["many values", `{"path":[${"[],".repeat(1_500_000)}1]}`],
      ["many levels", `{"path":${"[".repeat(2_000_000)}`],
      ["many keys", `{"a":{${'"b":1,'.repeat(800_000)}"c":1}}`],
    ]),
  )("is not listened to when the input of a tool has %s", { tags: "long" }, async ([, input]) => {
    const { folder, host, driver, model } = await setUp([{ calls: [{ name: "write", input }] }]);
    const { report } = await follow(driver.start(workIn(folder), host));
    const message = "The model asked for tools with inputs that are too large.";
    expect(report).toEqual({ is: "failed", code: "model_answer", message });
    expect(model.questions).toHaveLength(1);
  });

  test.for(
    soakCases([
      ["an event", 200, `data: {"choices":${"[],".repeat(1_500_000)}1]}\n\n`, "holds too many values"],
      ["a long event", 200, `data: {"choices":"${"x".repeat(9_000_000)}"}\n\n`, "is too long"],
      ["an error", 400, `{"error":[${"[],".repeat(1_500_000)}1]}`, "holds too many values"],
      ["a long error", 400, `{"error":"${"x".repeat(9_000_000)}"}`, "is too long"],
    ] as const),
  )("is not listened to when %s takes long to read", async ([, status, body, why]) => {
    const { folder, host, driver } = await setUp(() => ({ status, body }));
    const { report } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "failed", code: "model_answer", message: expect.stringContaining(why) });
  });

  test.for([
    ["length", "agent_tokens"],
    ["content_filter", "agent_refused"],
  ])("has failed when its answer ends by %s", async ([finishReason, code]) => {
    const { folder, host, driver } = await setUp([{ text: "I wou", finishReason: finishReason! }]);
    expect((await follow(driver.start(workIn(folder), host))).report).toMatchObject({ is: "failed", code });
  });
});

describe("an endpoint that does not answer well", () => {
  const done: ModelStep = { calls: [{ name: "write", input: { path: "a.txt", content: "a" } }] };

  test.for<readonly [string, ModelStep]>(
    soakCases([
      ["is busy", { status: 429, headers: { "retry-after": "0" } }],
      ["is broken", { status: 503, headers: { "retry-after": "0" } }],
      ["breaks off", { breakOff: true }],
      [
        "answers with values of other types",
        { status: 200, headers: { "content-type": "text/event-stream" }, body: 'data: {"choices":{"a":[1]}}\n\n' },
      ],
      ["answers with a page", { status: 200, headers: { "content-type": "text/html" }, body: "<h1>Welcome</h1>" }],
      [
        "answers with nonsense",
        { status: 200, headers: { "content-type": "text/event-stream" }, body: "data: {oops\n\n" },
      ],
    ]),
  )("is asked again when it %s", async ([, step]) => {
    const { model, folder, host, driver } = await setUp([step, done]);
    const { report, events } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(model.questions).toHaveLength(3);
    expect(ofType(events, "status").map(({ text }) => text)).toContainEqual(expect.stringMatching(/^asking again: /));
  });

  test("is waited for as long as it asks", async () => {
    const { folder, host, driver } = await setUp([{ status: 429, headers: { "retry-after": "1" } }, done]);
    const before = performance.now();
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    expect(performance.now() - before).toBeGreaterThan(990);
  });

  test("is given up after so many attempts, with what it said", async () => {
    const body = JSON.stringify({ error: { message: `overloaded, key ${key}` } });
    const { model, folder, host, driver } = await setUp(() => ({ status: 500, headers: { "retry-after": "0" }, body }));
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({
      is: "failed",
      code: "model_unavailable",
      message: "The model answered with status 500: overloaded, key [key]",
    });
    expect(model.questions).toHaveLength(3);
  });

  test("is not asked again when it says that the question is wrong", async () => {
    const body = JSON.stringify({ error: { message: "no such model" } });
    const { model, folder, host, driver } = await setUp([{ status: 404, body }]);
    const { report } = await follow(driver.start(workIn(folder), host));
    expect(report).toMatchObject({ code: "model_rejected", message: expect.stringContaining("no such model") });
    expect(model.questions).toHaveLength(1);
  });

  test("is not followed elsewhere with the key", async () => {
    const elsewhere = await startScriptedModel([]);
    onTestFinished(() => elsewhere.close());
    const location = `${elsewhere.baseUrl}/chat/completions`;
    const { folder, host, driver } = await setUp(() => ({ status: 307, headers: { location } }), {
      network: { maxAttempts: 1 },
    });
    expect((await follow(driver.start(workIn(folder), host))).report).toMatchObject({ is: "failed" });
    expect(elsewhere.questions).toEqual([]);
  });

  test("is told less when it was too much", async () => {
    const body = JSON.stringify({ error: { message: "maximum context length exceeded" } });
    const read = { name: "read", input: { path: "long.txt" } };
    const { model, folder, host, driver } = await setUp((_, index) => {
      if (index < 3) return { calls: [read] };
      return index === 3 ? { status: 400, body } : { text: "Done." };
    });
    await writeFile(join(folder, "long.txt"), "0123456789\n".repeat(1000));
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    const sizes = model.questions.map(({ body }) => JSON.stringify(body.messages).length);
    expect(sizes[4]).toBeLessThan(sizes[3]! * 0.6);
  });

  test("hears of old results in short, before it is too much", async () => {
    const read = { name: "read", input: { path: "long.txt" } };
    const { model, folder, host, driver } = await setUp(Array(12).fill({ calls: [read] }), {
      limits: { contextTokens: 20_000 },
    });
    await writeFile(join(folder, "long.txt"), "0123456789\n".repeat(800));
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    const sizes = model.questions.map(({ body }) => JSON.stringify(body.messages).length);
    expect(Math.max(...sizes)).toBeLessThan(20_000 * 3.5);
    const last = model.questions.at(-1)!.body.messages as { role: string; content: string }[];
    const results = last.filter(({ role }) => role === "tool").map(({ content }) => content);
    expect(results).toHaveLength(12);
    expect(results[0]).toContain("shortened: 8800 characters");
    expect(results.at(-1)).toHaveLength(8800);
  });

  test("is shortened as a whole, whatever a model says or asks for at length", { tags: "long" }, async () => {
    const long = "long ".repeat(40_000);
    const inputs = Array.from({ length: 100 }, () => ({ of: ["none", long.slice(0, 2_000)] }));
    const script = (_: unknown, index: number): ModelStep | undefined =>
      index < 6 ? { text: long, calls: [{ name: "list", input: { path: ".", more: inputs } }] } : undefined;
    const { model, folder, host, driver } = await setUp(script, { limits: { contextTokens: 20_000 } });
    const { report } = await follow(driver.start(workIn(folder), host));
    expect(report).toEqual({ is: "done" });
    expect(JSON.stringify(model.questions.at(-1)!.body).length).toBeLessThan(100_000);
  });

  test("is shortened, too, where a model names inputs without end", { tags: "long" }, async () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`name${index}`, index]));
    const script = (_: unknown, index: number): ModelStep | undefined =>
      index < 6 ? { calls: [{ name: "list", input: { path: ".", ...many, ["k".repeat(100_000)]: 1 } }] } : undefined;
    const { model, folder, host, driver } = await setUp(script, { limits: { contextTokens: 20_000 } });
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    expect(JSON.stringify(model.questions.at(-1)!.body).length).toBeLessThan(100_000);
  });

  test("is told no half of a character, wherever a result is cut", { tags: "long" }, async () => {
    const read = { name: "read", input: { path: "long.txt" } };
    const run = { name: "run", input: { command: "cat long.txt" } };
    const search = { name: "search", input: { pattern: "x" } };
    const { model, folder, host, driver } = await setUp(Array(8).fill({ calls: [read, run, search] }), {
      limits: { contextTokens: 40_000 },
    });
    await writeFile(join(folder, "long.txt"), `x${"\u{1f600}".repeat(40_000)}`);
    expect((await follow(driver.start(workIn(folder), host))).report).toEqual({ is: "done" });
    const said = model.questions.map(({ body }) => body.messages as { content: string }[]);
    expect(said.flat().filter(({ content }) => content?.isWellFormed() === false)).toEqual([]);
  });

  test("holds no names of calls that are longer than all else", async () => {
    const { folder, host, driver } = await setUp([{ calls: [{ name: "n".repeat(100_000), input: {} }] }], {
      network: { maxAttempts: 1 },
    });
    const { report } = await follow(driver.start(workIn(folder), host));
    expect(report).toMatchObject({ code: "model_answer", message: expect.stringContaining("too long") });
  });
});

describe("the key", () => {
  test("is in no event, no log, no prompt and no program's environment", async () => {
    const printed: string[] = [];
    for (const name of ["log", "warn", "error", "info", "debug"] as const)
      vi.spyOn(console, name).mockImplementation((...args) => void printed.push(args.join(" ")));
    onTestFinished(() => void vi.restoreAllMocks());
    const { model, folder, host, driver } = await setUp([
      { status: 429, headers: { "retry-after": "0" }, body: JSON.stringify({ error: { message: `for ${key}` } }) },
      { text: `Your key is ${key}.`, calls: [{ name: "run", input: { command: "env" } }] },
      { status: 401, body: JSON.stringify({ error: { message: `Incorrect API key provided: ${key}` } }) },
    ]);
    const { report, events } = await follow(driver.start(workIn(folder), host));
    expect(report).toMatchObject({ is: "failed", code: "model_rejected" });
    expect(JSON.stringify([events, report, host.programs, printed])).not.toContain(key);
    expect(JSON.stringify(model.questions[0]!.body)).not.toContain(key);
  });

  test("must be there if it is named, and is not sent if none is named", async () => {
    const { folder, host } = await setUp([]);
    const settings = { baseUrl: "http://127.0.0.1:1/v1", model: "scripted", keyEnv: "NO_SUCH_KEY" };
    const driver = llmDriver(settings, { env: {}, fetch });
    expect(await follow(driver.start(workIn(folder), host))).toEqual({
      events: [],
      report: { is: "failed", code: "model_key", message: expect.stringContaining("NO_SUCH_KEY") },
    });
    const open = await startScriptedModel([]);
    onTestFinished(() => open.close());
    const keyless = llmDriver({ baseUrl: open.baseUrl, model: "scripted" }, { env: {}, fetch });
    expect((await follow(keyless.start(workIn(folder), host))).report).toEqual({ is: "done" });
    expect(open.questions[0]!.headers.authorization).toBeUndefined();
  });
});

describe("probe", () => {
  const never = new AbortController().signal;

  test("says that a model is there, or why not", async () => {
    const { driver, model } = await setUp([]);
    expect(await driver.probe(never)).toEqual({ isUsable: true, version: "scripted" });
    const elsewhere = llmDriver({ baseUrl: `${model.baseUrl}/none`, model: "x" }, { env: {}, fetch });
    expect(await elsewhere.probe(never)).toEqual({ isUsable: true, version: "x" });
    const nowhere = llmDriver({ baseUrl: "http://127.0.0.1:1/v1", model: "x" }, { env: {}, fetch });
    expect(await nowhere.probe(never)).toMatchObject({ isUsable: false, reason: expect.stringContaining("reached") });
    const keyless = llmDriver({ baseUrl: model.baseUrl, model: "x", keyEnv: "NONE" }, { env: {}, fetch });
    expect(await keyless.probe(never)).toMatchObject({ isUsable: false, reason: expect.stringContaining("NONE") });
    const refused = llmDriver(
      { baseUrl: "https://model.example/v1", model: "x" },
      {
        env: {},
        fetch: async () => new Response(null, { status: 401 }),
      },
    );
    expect(await refused.probe(never)).toMatchObject({ isUsable: false, reason: expect.stringContaining("key") });
  });
});
