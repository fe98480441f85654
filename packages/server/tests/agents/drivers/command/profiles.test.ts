import { describe, expect, test } from "vitest";
import { explainExit, explainFailure } from "../../../../src/agents/drivers/command/explain-failure.ts";
import { parseFields } from "../../../../src/agents/drivers/command/json-fields.ts";
import { LineSplitter } from "../../../../src/agents/drivers/command/line-splitter.ts";
import type { Reading } from "../../../../src/agents/drivers/command/profile.ts";
import { findProfile, profiles } from "../../../../src/agents/drivers/command/profiles.ts";
import { UsageMeter } from "../../../../src/agents/drivers/command/usage-meter.ts";

/** What an agent's line says; nothing if its reader does not know it. */
function read(name: string, line: object | string): readonly Reading[] | undefined {
  const { output } = findProfile(name)!;
  if (output.is === "text") return output.read(String(line));
  return output.read(parseFields(JSON.stringify(line))!);
}

const used = (of: unknown, inputTokens: number, outputTokens: number, costUsd?: number) => ({
  type: "used",
  of,
  inputTokens,
  outputTokens,
  costUsd,
});

describe("Claude Code", () => {
  const say = (line: object) => read("claude-code", { session_id: "s", uuid: "u", ...line });

  test("a message has words, calls of tools, and tokens that are told again with each part of it", () => {
    const message = {
      id: "msg_01",
      role: "assistant",
      model: "claude-sonnet-5",
      content: [
        { type: "thinking", thinking: "hm", signature: "x" },
        { type: "text", text: "Running the tests." },
        { type: "tool_use", id: "toolu_1", name: "Bash", input: { command: "npm test", description: "Run tests" } },
        {
          type: "tool_use",
          id: "toolu_2",
          name: "TodoWrite",
          input: { todos: [{ content: "Store", status: "pending" }] },
        },
      ],
      usage: { input_tokens: 4, cache_creation_input_tokens: 1000, cache_read_input_tokens: 5000, output_tokens: 3 },
    };
    expect(say({ type: "assistant", message, parent_tool_use_id: null })).toEqual([
      { type: "message", text: "Running the tests." },
      { type: "tool", id: "toolu_1", name: "Bash", detail: "npm test", isDone: false },
      { type: "plan", entries: ["Store"] },
      used({ message: "msg_01" }, 6004, 3),
    ]);
  });

  test("a tool's end says which call it was of", () => {
    const content = [
      { type: "tool_result", tool_use_id: "toolu_1", is_error: true, content: [{ type: "text", text: "2 failed" }] },
    ];
    expect(say({ type: "user", message: { role: "user", content } })).toEqual([
      { type: "tool", id: "toolu_1", name: undefined, detail: "failed: 2 failed", isDone: true },
    ]);
    expect(say({ type: "user", message: { role: "user", content: "plain words" } })).toEqual([]);
  });

  test("a result has the cost; a cost of 0 is not known", () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 20, output_tokens: 30 };
    const result = { type: "result", subtype: "success", is_error: false, num_turns: 3, result: "Done", usage };
    expect(say({ ...result, total_cost_usd: 0.0412 })).toEqual([used("run", 30, 30, 0.0412)]);
    expect(say({ ...result, total_cost_usd: 0 })).toEqual([used("run", 30, 30)]);
    expect(say(result)).toEqual([used("run", 30, 30)]);
  });

  test.for([
    [
      { subtype: "success", result: "API Error: Overloaded", api_error_status: 529 },
      "API Error: Overloaded (status 529)",
    ],
    [{ subtype: "error_max_turns" }, "error max turns"],
    [{ subtype: "error_during_execution", errors: ["Prompt is too long"] }, "Prompt is too long"],
  ] as const)("a result that is an error says why: %j", ([fields, message]) => {
    const readings = say({ type: "result", is_error: true, ...fields });
    expect(readings?.at(-1)).toEqual({ type: "failure", message, isFinal: true });
  });

  test("an answer that stands for an error is no message", () => {
    const message = {
      id: "m",
      model: "<synthetic>",
      content: [{ type: "text", text: "Not logged in · Please run /login" }],
    };
    expect(say({ type: "assistant", error: "authentication_failed", message })).toEqual([
      { type: "failure", message: "authentication_failed: Not logged in · Please run /login", isFinal: false },
    ]);
  });

  test("what it is at is a status, what is only for its own use is nothing, and the rest is not known", () => {
    expect(say({ type: "system", subtype: "init", model: "claude-sonnet-5" })).toEqual([
      { type: "status", text: "at work with claude-sonnet-5" },
    ]);
    expect(say({ type: "system", subtype: "api_retry", attempt: 1, max_retries: 10, error: "rate_limit" })).toEqual([
      { type: "status", text: "asks its model again: rate_limit" },
    ]);
    expect(say({ type: "rate_limit_event", rate_limit_info: { status: "allowed_warning" } })).toEqual([]);
    expect(say({ type: "stream_event", event: {} })).toEqual([]);
    expect(say({ type: "brand_new" })).toBeUndefined();
  });
});

test("Qwen Code counts the cache among its input, and says no cost", () => {
  const usage = { input_tokens: 500, output_tokens: 20, cache_read_input_tokens: 400, total_tokens: 520 };
  expect(read("qwen-code", { type: "result", subtype: "success", is_error: false, usage })).toEqual([
    used("run", 500, 20),
  ]);
  const error = { message: "[API Error: 401 Incorrect API key provided]" };
  expect(
    read("qwen-code", { type: "result", subtype: "error_during_execution", is_error: true, error })?.at(-1),
  ).toEqual({
    type: "failure",
    message: error.message,
    isFinal: true,
  });
  const write = { type: "tool_use", id: "c1", name: "write_file", input: { file_path: "/w/a.js", content: "1" } };
  expect(read("qwen-code", { type: "assistant", message: { content: [write] } })).toEqual([
    { type: "tool", id: "c1", name: "write_file", detail: "/w/a.js", isDone: false },
    { type: "file", path: "/w/a.js", change: "written" },
  ]);
});

describe("Codex", () => {
  test.for([
    [{ type: "thread.started", thread_id: "0199" }, [{ type: "status", text: "at work" }]],
    [{ type: "turn.started" }, []],
    [
      {
        type: "item.started",
        item: {
          id: "item_1",
          type: "command_execution",
          command: "bash -lc ls",
          aggregated_output: "",
          exit_code: null,
          status: "in_progress",
        },
      },
      [{ type: "tool", id: "item_1", name: "command", detail: "bash -lc ls", isDone: false }],
    ],
    [
      {
        type: "item.completed",
        item: { id: "item_1", type: "command_execution", command: "ls", exit_code: 2, status: "failed" },
      },
      [{ type: "tool", id: "item_1", name: "command", detail: "failed: ls", isDone: true }],
    ],
    [{ type: "item.completed", item: { id: "item_2", type: "reasoning", text: "**Thinking**" } }, []],
    [
      { type: "item.completed", item: { id: "item_3", type: "agent_message", text: "Done." } },
      [{ type: "message", text: "Done." }],
    ],
    [
      {
        type: "item.completed",
        item: {
          id: "item_4",
          type: "file_change",
          status: "completed",
          changes: [
            { path: "/w/a.js", kind: "add" },
            { path: "b.js", kind: "delete" },
          ],
        },
      },
      [
        { type: "file", path: "/w/a.js", change: "written" },
        { type: "file", path: "b.js", change: "removed" },
      ],
    ],
    [
      {
        type: "item.completed",
        item: { id: "item_4", type: "file_change", status: "failed", changes: [{ path: "a", kind: "add" }] },
      },
      [],
    ],
    [
      {
        type: "item.started",
        item: {
          id: "item_5",
          type: "mcp_tool_call",
          server: "docs",
          tool: "find",
          arguments: {},
          status: "in_progress",
        },
      },
      [{ type: "tool", id: "item_5", name: "docs.find", detail: "", isDone: false }],
    ],
    [
      {
        type: "item.updated",
        item: {
          id: "item_6",
          type: "todo_list",
          items: [
            { text: "Store", completed: true },
            { text: "List", completed: false },
          ],
        },
      },
      [{ type: "plan", entries: ["Store", "List"] }],
    ],
    [
      {
        type: "turn.completed",
        usage: { input_tokens: 24763, cached_input_tokens: 24448, output_tokens: 122, reasoning_output_tokens: 0 },
      },
      [used("run", 24763, 122)],
    ],
    [
      { type: "error", message: "Reconnecting... 2/5" },
      [{ type: "failure", message: "Reconnecting... 2/5", isFinal: false }],
    ],
    [{ type: "turn.failed", error: { message: "no" } }, [{ type: "failure", message: "no", isFinal: true }]],
    [{ type: "item.completed", item: { type: "hologram" } }, undefined],
  ] as const)("%j", ([line, readings]) => {
    expect(read("codex", line)).toEqual(readings);
  });
});

describe("Gemini CLI", () => {
  const stats = {
    total_tokens: 90,
    input_tokens: 60,
    output_tokens: 20,
    cached: 10,
    input: 50,
    duration_ms: 5,
    tool_calls: 1,
    models: {},
  };
  test.for([
    [{ type: "init", session_id: "s", model: "gemini-3-pro" }, [{ type: "status", text: "at work with gemini-3-pro" }]],
    [{ type: "message", role: "user", content: "the prompt" }, []],
    [{ type: "message", role: "assistant", content: "I'll", delta: true }, [{ type: "piece", text: "I'll" }]],
    [
      { type: "tool_use", tool_name: "replace", tool_id: "r1", parameters: { file_path: "/w/a.js", old_string: "a" } },
      [
        { type: "tool", id: "r1", name: "replace", detail: "/w/a.js", isDone: false },
        { type: "file", path: "/w/a.js", change: "written" },
      ],
    ],
    [
      { type: "tool_result", tool_id: "r1", status: "error", error: { type: "FILE_NOT_FOUND", message: "no a.js" } },
      [{ type: "tool", id: "r1", name: undefined, detail: "failed: no a.js", isDone: true }],
    ],
    [{ type: "error", severity: "warning", message: "Loop detected" }, [{ type: "status", text: "Loop detected" }]],
    [{ type: "error", severity: "error", message: "Empty" }, [{ type: "failure", message: "Empty", isFinal: false }]],
    [{ type: "result", status: "success", stats }, [used("run", 60, 20)]],
    [
      {
        type: "result",
        status: "error",
        error: { type: "TerminalQuotaError", message: "You have exhausted your daily quota." },
        stats,
      },
      [
        used("run", 60, 20),
        { type: "failure", message: "TerminalQuotaError: You have exhausted your daily quota.", isFinal: true },
      ],
    ],
  ] as const)("%j", ([line, readings]) => {
    expect(read("gemini", line)).toEqual(readings);
  });
});

describe("opencode", () => {
  const part = { id: "prt_1", messageID: "msg_1", sessionID: "ses_1" };
  test.for([
    [{ type: "step_start", part: { ...part, type: "step-start" } }, []],
    [
      { type: "text", part: { ...part, type: "text", text: "Done.", time: { start: 1, end: 2 } } },
      [{ type: "message", text: "Done." }],
    ],
    [
      {
        type: "tool_use",
        part: {
          ...part,
          type: "tool",
          callID: "c",
          tool: "write",
          state: { status: "completed", input: { filePath: "/w/a.js", content: "" }, output: "ok", title: "a.js" },
        },
      },
      [
        { type: "tool", id: "c", name: "write", detail: "/w/a.js", isDone: false },
        { type: "file", path: "/w/a.js", change: "written" },
        { type: "tool", id: "c", name: undefined, detail: "a.js", isDone: true },
      ],
    ],
    [
      {
        type: "tool_use",
        part: {
          ...part,
          type: "tool",
          callID: "c",
          tool: "edit",
          state: { status: "error", input: { filePath: "/w/a.js" }, error: "no match" },
        },
      },
      [
        { type: "tool", id: "c", name: "edit", detail: "/w/a.js", isDone: false },
        { type: "tool", id: "c", name: undefined, detail: "failed: no match", isDone: true },
      ],
    ],
    [
      {
        type: "step_finish",
        part: {
          ...part,
          type: "step-finish",
          reason: "stop",
          cost: 0.007,
          tokens: { input: 100, output: 10, reasoning: 5, cache: { read: 1000, write: 50 } },
        },
      },
      [used("step", 1150, 15, 0.007)],
    ],
    [
      {
        type: "step_finish",
        part: {
          ...part,
          type: "step-finish",
          reason: "stop",
          cost: 0,
          tokens: { input: 1, output: 2, reasoning: 0, cache: { read: 0, write: 0 } },
        },
      },
      [used("step", 1, 2)],
    ],
    [
      { type: "error", error: { name: "ProviderAuthError", data: { providerID: "openai", message: "no key" } } },
      [{ type: "failure", message: "ProviderAuthError: no key", isFinal: true }],
    ],
  ] as const)("%j", ([line, readings]) => {
    expect(read("opencode", line)).toEqual(readings);
  });
});

describe("aider", () => {
  test.for([
    ["Tokens: 2.3k sent, 145 received. Cost: $0.0091 message, $0.02 session.", [used("step", 2300, 145, 0.0091)]],
    ["Tokens: 812 sent, 1.2k cache write, 14k cache hit, 12k received.", [used("step", 812, 12_000)]],
    ["Cost: $0.10 message, $0.30 session.", [used("step", 0, 0, 0.1)]],
    ["Applied edit to src/store.js", [{ type: "file", path: "src/store.js", change: "written" }]],
    ["Retrying in 0.2 seconds...", [{ type: "status", text: "Retrying in 0.2 seconds..." }]],
    [
      "litellm.AuthenticationError: AnthropicException - invalid x-api-key",
      [
        {
          type: "failure",
          message: "litellm.AuthenticationError: AnthropicException - invalid x-api-key",
          isFinal: false,
        },
      ],
    ],
    [
      "Model gpt-9 has hit a token limit!",
      [{ type: "failure", message: "Model gpt-9 has hit a token limit!", isFinal: false }],
    ],
    ["The API provider of the notes is fetched here.", []],
    ["Here is the plan:", []],
  ] as const)("%s", ([line, readings]) => {
    expect(read("aider", line)).toEqual(readings);
  });
});

describe("every profile", () => {
  test.for(profiles)(
    "$name says how it is installed, what it may be given, and asks for known names only",
    (profile) => {
      expect(profile.install).toMatch(/^Install it with '.+', or set 'command'/);
      expect(profile.keys.length).toBeGreaterThan(0);
      expect([...profile.keys, ...profile.variables].filter((name) => !/^[A-Z][A-Z0-9_]+$/.test(name))).toEqual([]);
      expect(profile.args.flat().join(" ")).toContain("--model {{model}}");
    },
  );
});

describe("a failure", () => {
  const codex = findProfile("codex")!;
  test.for([
    [
      "There's an issue with the selected model (x). It may not exist or you may not have access to it.",
      "agent_model_unknown",
    ],
    ['404 {"type":"not_found_error","message":"model: claude-9"}', "agent_model_unknown"],
    ["The model `gpt-9` does not exist or you do not have access to it.", "agent_model_unknown"],
    ["[API Error: models/gemini-9 is not found for API version v1beta]", "agent_model_unknown"],
    ["You've hit your usage limit. Try again at 5 PM.", "agent_rate_limited"],
    ["exceeded retry limit, last status: 429 Too Many Requests", "agent_rate_limited"],
    ["Resource has been exhausted (RESOURCE_EXHAUSTED)", "agent_rate_limited"],
    ["API Error: Overloaded (status 529)", "agent_rate_limited"],
    ["Your credit balance is too low to access the API.", "agent_out_of_credit"],
    ["Quota exceeded. Check your plan and billing details.", "agent_out_of_credit"],
    ["unexpected status 401 Unauthorized: Missing bearer", "agent_not_logged_in"],
    ["No auth type is selected. Please configure an auth type", "agent_not_logged_in"],
    ["Please set an Auth method in your settings.json", "agent_not_logged_in"],
    ["authentication_failed: Not logged in · Please run /login", "agent_not_logged_in"],
    ["Prompt is too long", "agent_context_full"],
    ["Codex ran out of room in the model's context window.", "agent_context_full"],
    ["ContextOverflowError: Input exceeds context window", "agent_context_full"],
    ["stream disconnected before completion: error sending request for url", "agent_unreachable"],
    ["getaddrinfo EAI_AGAIN api.anthropic.com", "agent_unreachable"],
    ["SyntaxError: unexpected token at line 401", "agent_failed"],
  ] as const)("%s", ([words, code]) => {
    const report = explainFailure(codex, words);
    expect(report.code).toBe(code);
    expect(report.message).toContain(words.slice(0, 40));
  });

  test("is told on one line, and not at length", () => {
    const { message } = explainFailure(codex, `one\ntwo \u001b[31mred\u0007 ${"x".repeat(100_000)}😀`);
    expect(message).toMatch(/^Codex failed: one two red x+…$/);
    expect(message.length).toBeLessThan(700);
  });

  test("is read from the last lines where a program says nothing itself", () => {
    expect(explainExit(codex, 1, "Error: fetch failed\n  at x")).toMatchObject({ code: "agent_unreachable" });
    expect(explainExit(codex, null, "").message).toBe("Codex was killed. It printed nothing.");
  });
});

describe("tokens", () => {
  test("of steps, messages and a whole run are each counted once", () => {
    const meter = new UsageMeter();
    const count = (
      of: "step" | "run" | { message: string },
      inputTokens: number,
      outputTokens: number,
      costUsd?: number,
    ) => meter.count({ type: "used", of, inputTokens, outputTokens, costUsd });
    expect(count({ message: "a" }, 100, 1)).toEqual({ type: "usage", inputTokens: 100, outputTokens: 1 });
    expect(count({ message: "a" }, 100, 1)).toBeUndefined();
    expect(count({ message: "a" }, 100, 5)).toEqual({ type: "usage", inputTokens: 0, outputTokens: 4 });
    expect(count({ message: "b" }, 50, 2)).toEqual({ type: "usage", inputTokens: 50, outputTokens: 2 });
    expect(count("run", 160, 30, 0.5)).toEqual({ type: "usage", inputTokens: 10, outputTokens: 23, costUsd: 0.5 });
    expect(count("run", 160, 30, 0.5)).toBeUndefined();
    expect(count("step", 0, 0)).toBeUndefined();
    expect(count("step", 1, 1, 0.1)).toEqual({ type: "usage", inputTokens: 1, outputTokens: 1, costUsd: 0.1 });
  });
});

describe("lines", () => {
  test("are the same however the chunks fall", () => {
    const bytes = Buffer.from("one\r\nzwei – drei\n\n{}\nlast 😀");
    for (const size of [1, 2, 3, 7, 100]) {
      const cutter = new LineSplitter();
      const lines: string[] = [];
      for (let at = 0; at < bytes.length; at += size) lines.push(...cutter.push(bytes.subarray(at, at + size)));
      expect([...lines, ...cutter.end()]).toEqual(["one", "zwei – drei", "", "{}", "last 😀"]);
    }
  });

  test("that are too long are cut, and say so", () => {
    const cutter = new LineSplitter(4);
    expect(cutter.push(Buffer.from("123"))).toEqual([]);
    expect(cutter.push(Buffer.from("4567\nabcd\n"))).toEqual(["1234… 3 more bytes were left out", "abcd"]);
  });
});
