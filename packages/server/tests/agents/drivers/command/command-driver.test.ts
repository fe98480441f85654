import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { commandDriver } from "../../../../src/agents/drivers/command/driver.ts";
import { findProfile, plainProfile, profiles } from "../../../../src/agents/drivers/command/profiles.ts";
import type { AgentEvent, AgentRun } from "../../../../src/agents/drivers/driver.ts";
import { ConfigError } from "../../../../src/platform/errors/index.ts";
import { fakeProgram, startAgent, taskNamed, tempFolder } from "../../../support/agents/command-agent.ts";
import { readPid } from "../../../support/read-pid.ts";
import { until } from "../../../support/until.ts";

/** An agent of a known kind, whose program prints these lines. */
function driverOf(name: string, script: string, settings = {}, environment: NodeJS.ProcessEnv = {}) {
  return commandDriver(findProfile(name)!, { command: fakeProgram(script), ...settings }, environment);
}

function plain(script: string, args: readonly string[] = []) {
  return commandDriver(plainProfile, { command: fakeProgram(script), args }, {});
}

const print = (...lines: readonly unknown[]) =>
  lines.map((line) => `console.log(${JSON.stringify(JSON.stringify(line))});`).join("\n");

function logOf(events: readonly AgentEvent[]): string {
  return events.flatMap((event) => (event.type === "log" ? event.text : [])).join("");
}

describe("what a program is given", () => {
  test("the prompt comes by standard input where no argument asks for it", async () => {
    const agent = startAgent(plain(`process.stdin.pipe(process.stdout)`), { prompt: "Do it – now." });
    const { report, events } = await agent.finished;
    expect(report).toEqual({ is: "done" });
    expect(logOf(events)).toBe("Do it – now.\n");
  });

  test("arguments are filled in, once, and what they ask for is not given by standard input too", async () => {
    const script = `process.stdin.on("data", () => process.exit(9)); console.log(JSON.stringify(process.argv.slice(2)))`;
    const agent = startAgent(plain(script, ["--ask={{prompt}}", "{{ task.id }}", "{{attempt}}", ""]), {
      prompt: "Say {{model}} and $HOME",
    });
    expect(JSON.parse(logOf((await agent.finished).events))).toEqual([
      "--ask=Say {{model}} and $HOME",
      "store",
      "1",
      "",
    ]);
  });

  test("the prompt's file lies in the agent's folder until it has ended, over nothing else", async () => {
    const script = `console.log(require("node:fs").readFileSync(process.argv[2], "utf8"), process.argv[2])`;
    const agent = startAgent(plain(script, ["{{prompt_file}}"]));
    const log = logOf((await agent.finished).events);
    expect(log).toMatch(/^Store notes on disk\. .*\/\.slipway-prompt-\w+\.md\n$/);
    expect(log).toContain(agent.folder);
    expect(readdirSync(agent.folder)).toEqual([]);
  });

  test("a model is passed where one is set, and left out with its flag where none is", async () => {
    const without = startAgent(driverOf("codex", ""));
    const withModel = startAgent(driverOf("codex", "", { model: "gpt-9", args: ["--color", "never"] }));
    await Promise.all([without.finished, withModel.finished]);
    expect(without.programs[0]!.args.at(-1)).toBe("--dangerously-bypass-approvals-and-sandbox");
    expect(withModel.programs[0]!.args.slice(-4)).toEqual(["--model", "gpt-9", "--color", "never"]);
  });

  test("it gets the variables that its profile and the operator name, and none of the service's own", async () => {
    const environment = { ANTHROPIC_API_KEY: "k", EXTRA: "x", OTHER: "o", SLIPWAY_MASTER_KEY: "m", OPENAI_API_KEY: "" };
    const agent = startAgent(driverOf("claude-code", "", { env: ["EXTRA", "SLIPWAY_MASTER_KEY"] }, environment));
    await agent.finished;
    expect(agent.programs[0]!.env).toEqual({
      IS_SANDBOX: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      ANTHROPIC_API_KEY: "k",
      EXTRA: "x",
    });
  });

  test.for(["{{secrets.KEY}}", "{{toString}}", "--x={{ nothing }}"])("%s is a mistake of the operator", (arg) => {
    expect(() => plain("", [arg])).toThrow(ConfigError);
    expect(() => plain("", [arg])).toThrow(/use '\{\{.+\}\}', which is unknown\. Known are: prompt, prompt_file/);
  });

  test("'{{model}}' without a model is a mistake of the operator", () => {
    expect(() => plain("", ["--model={{model}}"])).toThrow("no 'model' is set");
  });
});

describe("what a program prints", () => {
  test("events, files of the project and tokens are read from its lines, in order, and the rest is log", async () => {
    const script = `
console.error("warming up");
console.log(JSON.stringify({ type: "system", subtype: "init", model: "m-1", cwd: process.cwd() }));
console.log("no JSON {");
console.log(JSON.stringify({ type: "novelty" }));
const message = (id, content, usage) => console.log(JSON.stringify({ type: "assistant", message: { id, content, usage } }));
message("a", [{ type: "text", text: "I will write it." }], { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 });
message("a", [{ type: "tool_use", id: "t1", name: "Write", input: { file_path: process.cwd() + "/src/store.js" } }],
  { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 1 });
console.log(JSON.stringify({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "ok" }] } }));
console.log(JSON.stringify({ type: "result", subtype: "success", is_error: false, result: "Done.", total_cost_usd: 0.25,
  usage: { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 40 } }));`;
    const { report, events } = await startAgent(driverOf("claude-code", script)).finished;
    expect(report).toEqual({ is: "done" });
    expect(events.filter(({ type }) => type !== "log")).toEqual([
      { type: "status", text: "Claude Code was started" },
      { type: "status", text: "at work with m-1" },
      { type: "message", text: "I will write it." },
      { type: "usage", inputTokens: 100, outputTokens: 1 },
      { type: "tool", name: "Write", detail: expect.stringMatching(/src\/store\.js$/), isDone: false },
      { type: "file", path: "src/store.js", change: "written" },
      { type: "tool", name: "Write", detail: "ok", isDone: true },
      { type: "usage", inputTokens: 0, outputTokens: 39, costUsd: 0.25 },
    ]);
    expect(events).toContainEqual({ type: "log", stream: "stderr", text: "warming up\n" });
    expect(logOf(events).replace("warming up\n", "")).toBe('no JSON {\n{"type":"novelty"}\n');
  });

  test("lines of 10 MB are cut, and what comes after them is read", { tags: "long" }, async () => {
    const script = `
const long = "x".repeat(10_000_000);
for (let i = 0; i < 5; i += 1) process.stdout.write(JSON.stringify({ type: "assistant", long }) + "\\n");
process.stderr.write(long + "\\n");
${print({ type: "turn.completed", usage: { input_tokens: 5, output_tokens: 6 } })}`;
    const { report, events } = await startAgent(driverOf("codex", script)).finished;
    expect(report).toEqual({ is: "done" });
    expect(events).toContainEqual({ type: "usage", inputTokens: 5, outputTokens: 6 });
    const lines = logOf(events).trimEnd().split("\n");
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(line.length).toBeLessThan(1024 * 1024 + 100);
      expect(line).toMatch(/x… \d+ more bytes were left out$/);
    }
  });

  test("a program that prints only garbage is taken for one that says nothing", { tags: "long" }, async () => {
    const script = `
const { randomBytes } = require("node:crypto");
process.stdout.write(randomBytes(300_000)); process.stderr.write(randomBytes(300_000));
process.stdout.write('\\n{"type":"assistant","message":7}\\n{"type":["result"]}\\n[1]\\nnull\\n{"type":"result","usage":"a"}\\n');
process.stdout.write('{"type":"user","message":{"content":[null,3,{"type":"tool_result"}]}}\\n{"type":"assistant","message":{"content":[{"type":"tool_use"}]}}');`;
    for (const name of profiles.map((profile) => profile.name)) {
      const { report, events } = await startAgent(driverOf(name, script)).finished;
      expect(report, name).toEqual({ is: "done" });
      for (const event of events) expect(JSON.stringify(event).isWellFormed()).toBe(true);
    }
  });

  test("a line that nests too deep to be told is log, and what comes after it is read", async () => {
    const script = `
const deep = "[".repeat(200_000) + "]".repeat(200_000);
console.log('{"type":"assistant","message":{"content":[{"type":"tool_use","id":"t","name":"x","input":{"a":' + deep + '}}]}}');
${print({ type: "result", is_error: false, usage: { input_tokens: 1, output_tokens: 2 } })}`;
    const { report, events } = await startAgent(driverOf("claude-code", script)).finished;
    expect(report).toEqual({ is: "done" });
    expect(events.at(-1)).toEqual({ type: "usage", inputTokens: 1, outputTokens: 2 });
    expect(logOf(events).length).toBeGreaterThan(400_000);
  });

  test("a program that ends while another one holds its output is not waited for", async () => {
    // Longer than a test may take.
    const script = `
const holder = require("node:child_process").spawn("sleep", ["600"], { stdio: ["ignore", 1, 2], detached: true });
holder.unref();
console.log(holder.pid)`;
    const { report, events } = await startAgent(plain(script)).finished;
    const holder = Number(logOf(events));
    onTestFinished(() => void process.kill(holder, "SIGKILL"));
    expect(report).toEqual({ is: "done" });
    expect(holder).toBeGreaterThan(0);
  });
});

describe("how it ends", () => {
  test("one that says it is done is believed here, whatever it changed: others look at the difference", async () => {
    const { report } = await startAgent(
      driverOf(
        "gemini",
        print({ type: "message", role: "assistant", content: "All done!" }, { type: "result", status: "success" }),
      ),
    ).finished;
    expect(report).toEqual({ is: "done" });
  });

  test("an exit code and the last lines say why it failed, where it does not say so itself", async () => {
    const script = `for (let i = 0; i < 50; i += 1) console.log("line", i); console.error("Segfault in \\u001b[31mmodule 7\\u001b[0m"); process.exit(3)`;
    const { report } = await startAgent(plain(script)).finished;
    expect(report).toMatchObject({ is: "failed", code: "agent_failed" });
    const { message } = report as { message: string };
    expect(message).toMatch(/^The command ended with exit code 3\. Its last lines: line 3\d /);
    expect(message).toContain("line 49");
    expect(message).toContain("Segfault in module 7");
  });

  test("its own account of a failure counts, even when it exits with 0", async () => {
    const line = { type: "result", subtype: "success", is_error: true, result: "Invalid API key · Please run /login" };
    const { report } = await startAgent(driverOf("claude-code", print(line))).finished;
    expect(report).toEqual({
      is: "failed",
      code: "agent_not_logged_in",
      message:
        "Claude Code is not logged in: Invalid API key · Please run /login. Set ANTHROPIC_API_KEY or ANTHROPIC_AUTH_TOKEN or CLAUDE_CODE_OAUTH_TOKEN where the service is started.",
    });
  });

  test("an error event and exit code 1 are one failure", async () => {
    const script = `${print(
      { type: "error", message: "Reconnecting... 1/5" },
      { type: "turn.failed", error: { message: "exceeded retry limit, last status: 429 Too Many Requests" } },
    )}\nprocess.exitCode = 1;`;
    const { report } = await startAgent(driverOf("codex", script)).finished;
    expect(report).toMatchObject({
      code: "agent_rate_limited",
      message: expect.stringContaining("exceeded retry limit"),
    });
  });

  test("an error that it got over is none", async () => {
    const script = print(
      { type: "error", message: "Reconnecting... 1/5" },
      { type: "item.completed", item: { id: "1", type: "agent_message", text: "Done." } },
    );
    expect((await startAgent(driverOf("codex", script)).finished).report).toEqual({ is: "done" });
  });

  test("a program that is not there is a failure that says so", async () => {
    const driver = commandDriver(findProfile("aider")!, { command: "no-such-aider" }, {});
    const { report } = await startAgent(driver).finished;
    expect(report).toMatchObject({
      code: "agent_not_found",
      message: expect.stringContaining("pipx install aider-chat"),
    });
  });

  test("a host that refuses to start anything is a failure, not a crash", async () => {
    const driver = plain("");
    const { run, finished } = startAgent({
      ...driver,
      start: (work, host) =>
        driver.start(work, {
          ...host,
          start: () => {
            throw new Error("the sandbox is full");
          },
        }),
    });
    expect((await finished).report).toMatchObject({ is: "failed", message: "the sandbox is full" });
    await expect(run.result).resolves.toBeDefined();
  });

  test.for(["claude-code", "gemini"])("%s is stopped though it never ends by itself", async (name) => {
    const script = `setInterval(() => console.log("at it"), 5)`;
    const { finished } = startAgent(driverOf(name, script), {}, (event, run) => event.type === "log" && run.cancel());
    expect((await finished).report).toMatchObject({ is: "failed", code: "agent_cancelled" });
  });

  test("one that can be interrupted ends its own way", async () => {
    const script = `
process.on("SIGINT", () => { console.log(JSON.stringify({ type: "result", usage: { input_tokens: 7 } })); process.exit(130); });
console.log(JSON.stringify({ type: "system", subtype: "init" })); setInterval(() => {}, 1000);`;
    const { events, report } = await startAgent(driverOf("claude-code", script), {}, cancelAtWork).finished;
    expect(events).toContainEqual({ type: "usage", inputTokens: 7, outputTokens: 0 });
    expect(report).toMatchObject({ code: "agent_cancelled" });
  });

  test("one that does not listen to an interrupt is killed", { tags: "long" }, async () => {
    const script = `process.on("SIGINT", () => console.error("never")); ${print({ type: "system", subtype: "init" })} setInterval(() => {}, 1000);`;
    const { events, report } = await startAgent(driverOf("claude-code", script), {}, cancelAtWork).finished;
    expect(logOf(events)).toBe("never\n");
    expect(report).toMatchObject({ code: "agent_cancelled" });
  });

  test("one that was cancelled before it started is not started", async () => {
    const { run, finished, programs } = startAgent(plain("", ["{{prompt_file}}"]));
    run.cancel();
    expect((await finished).report).toMatchObject({ code: "agent_cancelled" });
    expect(programs).toEqual([]);
  });
});

describe("a planner", () => {
  const task = taskNamed("plan");

  test("brings its tasks, which do not stay in the project", async () => {
    const agent = startAgent(
      plain(
        `const fs = require("node:fs"); fs.mkdirSync(".slipway"); fs.writeFileSync(".slipway/tasks.yaml", "tasks: []\\n")`,
      ),
      { task },
    );
    expect((await agent.finished).report).toEqual({ is: "done", breakdown: "tasks: []\n" });
    expect(readdirSync(agent.folder)).toEqual([]);
  });

  test("that writes none brings none", async () => {
    expect((await startAgent(plain(""), { task }).finished).report).toEqual({ is: "done" });
  });
});

describe("a probe", () => {
  const { signal } = new AbortController();
  const probe = (script: string) =>
    commandDriver(findProfile("codex")!, { command: fakeProgram(script) }, {}).probe(signal);

  test("does not start a program of the operator's own: nobody knows what it would do", async () => {
    const file = join(tempFolder(), "started");
    const driver = plain(`require("node:fs").writeFileSync(${JSON.stringify(file)}, "")`);
    expect(await driver.probe(signal)).toEqual({ isUsable: true, version: "" });
    expect(existsSync(file)).toBe(false);
    expect(await commandDriver(plainProfile, { command: "sh" }, {}).probe(signal)).toMatchObject({ isUsable: true });
    expect(await commandDriver(plainProfile, { command: "no-such-program" }, {}).probe(signal)).toEqual({
      isUsable: false,
      reason: expect.stringContaining("The program 'no-such-program' is not installed"),
    });
  });

  test("says which version is there", async () => {
    expect(await probe(`console.error("update available"); console.log("agent 1.2.3 (stable)")`)).toMatchObject({
      isUsable: true,
      version: expect.stringContaining("1.2.3"),
    });
  });

  test.for(profiles.map(({ name }) => name))("says how %s is installed where it is not there", async (name) => {
    const driver = commandDriver(findProfile(name)!, { command: `no-such-${name}` }, {});
    expect(await driver.probe(signal)).toEqual({
      isUsable: false,
      reason: expect.stringMatching(
        /^The program 'no-such-.+' is not installed, or not on the service's PATH\. Install it with '/,
      ),
    });
  });

  test("says how a program failed that cannot say its version", async () => {
    expect(await probe(`console.error("needs Node 30"); process.exit(4)`)).toEqual({
      isUsable: false,
      reason: expect.stringMatching(/--version' ended with exit code 4: needs Node 30$/),
    });
  });

  test("gives the program nothing of the service's environment", async () => {
    process.env["SLIPWAY_PROBE_SECRET"] = "hush";
    const answer = await probe(`console.log("v1", Object.keys(process.env).includes("SLIPWAY_PROBE_SECRET"))`);
    delete process.env["SLIPWAY_PROBE_SECRET"];
    expect(answer).toEqual({ isUsable: true, version: "v1 false" });
  });

  test("does not wait for one that never answers, nor leaves it there", { tags: "long" }, async () => {
    const { probeProgram } = await import("../../../../src/agents/drivers/command/probe-program.ts");
    const file = join(tempFolder(), "pid");
    const command = fakeProgram(
      `require("node:fs").writeFileSync(${JSON.stringify(file)}, String(process.pid)); setInterval(() => {}, 1000)`,
    );
    const answer = await probeProgram({ command, install: "" }, signal, 1500);
    expect(answer).toEqual({ isUsable: false, reason: expect.stringContaining("did not answer within 1.5 seconds") });
    // On a busy machine it may have been ended before it could write.
    const pid = readPid(file);
    await until(() => pid === undefined || !isRunning(pid));
  });
});

function cancelAtWork(event: AgentEvent, run: AgentRun): void {
  if (event.type === "status" && event.text.startsWith("at work")) run.cancel();
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
