import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { commandDriver } from "../../../src/agents/drivers/command/driver.ts";
import { findProfile } from "../../../src/agents/drivers/command/profiles.ts";
import { readAgentSettings } from "../../../src/agents/registry/agent-settings.ts";
import { ConfigError } from "../../../src/platform/errors/index.ts";

const read = (yaml: string) => readAgentSettings(parse(yaml), "slipway.yaml");

function problemsOf(yaml: string): string[] {
  try {
    read(yaml);
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).message.split("\n");
  }
}

test("an agent of each kind is read", () => {
  const agents = read(`
- { name: claude, kind: command, profile: claude-code, capabilities: [api, javascript], slots: 2, model: sonnet,
    env: [HTTPS_PROXY], limits: { idle_minutes: 5, tokens: 2000000, cost_usd: 3.5 }, network: allow }
- { name: mine, kind: command, command: /opt/agent, args: ["--ask", "{{prompt}}"], network: none }
- { name: zed, kind: acp, command: gemini, args: [--acp] }
- { name: local model, kind: llm, url: "http://127.0.0.1:11434/v1", model: qwen3, key_env: OLLAMA_KEY }
- { name: remote, kind: a2a, url: "https://agents.example/card" }
- { name: builder, kind: blueprint }
`);
  expect(agents.map(({ name, kind, network }) => [name, kind, network])).toEqual([
    ["claude", "command", "allow"],
    ["mine", "command", "none"],
    ["zed", "acp", "allow"],
    ["local model", "llm", "none"],
    ["remote", "a2a", "none"],
    ["builder", "blueprint", "none"],
  ]);
  expect(agents[0]).toEqual({
    name: "claude",
    kind: "command",
    profile: "claude-code",
    command: undefined,
    args: [],
    reads: [],
    env: ["HTTPS_PROXY"],
    capabilities: ["api", "javascript"],
    slots: 2,
    model: "sonnet",
    url: undefined,
    keyEnv: undefined,
    limits: { idleMinutes: 5, tokens: 2_000_000, costUsd: 3.5 },
    network: "allow",
  });
  expect(commandDriver(findProfile("claude-code")!, agents[0], {}).kind).toBe("command");
});

test("no agents are fine", () => {
  expect(readAgentSettings(undefined, "slipway.yaml")).toEqual([]);
  expect(read("[]")).toEqual([]);
});

describe("what is wrong is said with its place", () => {
  test.for([
    ["name: x", "agents in slipway.yaml must be a list, each entry with 'name' and 'kind'."],
    ["[claude]", "agents[0] in slipway.yaml must be a map of 'key: value' lines."],
    ["[{ kind: blueprint }]", "agents[0].name in slipway.yaml is missing."],
    [
      "[{ name: a }]",
      "agents[0].kind in slipway.yaml is missing. It is one of blueprint, command, acp, llm, a2a, plugin.",
    ],
    [
      "[{ name: a, kind: cmd, profile: codex }]",
      "agents[0].kind in slipway.yaml must be one of blueprint, command, acp, llm, a2a, plugin.",
    ],
    [
      "[{ name: a, kind: command }]",
      "agents[0] in slipway.yaml needs a 'profile' (claude-code, codex, gemini, opencode, aider, qwen-code) or a 'command'.",
    ],
    [
      "[{ name: a, kind: command, profile: claud }]",
      "agents[0].profile in slipway.yaml must be one of claude-code, codex, gemini, opencode, aider, qwen-code.",
    ],
    [
      "[{ name: a, kind: command, profile: codex, url: 'https://x' }]",
      "agents[0].url in slipway.yaml is not a key of agents of kind 'command'.",
    ],
    [
      "[{ name: a, kind: command, command: x, args: ['{{promt}}'] }]",
      "agents[0].args[0] in slipway.yaml uses '{{promt}}', which is unknown. Known are: prompt, ",
    ],
    [
      "[{ name: a, kind: command, command: x, args: [--model, '{{model}}'] }]",
      "agents[0].args[1] in slipway.yaml uses '{{model}}', but the agent has no 'model'.",
    ],
    [
      "[{ name: a, kind: command, command: x, args: [1] }]",
      "agents[0].args in slipway.yaml must be a list of texts; put numbers",
    ],
    [
      "[{ name: a, kind: command, profile: codex, env: [SLIPWAY_MASTER_KEY] }]",
      "agents[0].env in slipway.yaml must be a list of names of environment variables",
    ],
    [
      "[{ name: a, kind: command, profile: codex, env: { KEY: secret-value } }]",
      "agents[0].env in slipway.yaml must be a list of names of environment variables",
    ],
    [
      "[{ name: a, kind: blueprint, slots: 0 }]",
      "agents[0].slots in slipway.yaml must be a whole number from 1 to 1000.",
    ],
    [
      "[{ name: a, kind: blueprint, limits: { cost: 1 } }]",
      "agents[0].limits.cost in slipway.yaml is not a key of limits. Known keys: idle_minutes, tokens, cost_usd, permission_minutes.",
    ],
    [
      "[{ name: a, kind: blueprint, limits: { idle_minutes: soon } }]",
      "agents[0].limits.idle_minutes in slipway.yaml must be a number from 0.1 to 1440.",
    ],
    [
      "[{ name: a, kind: blueprint, network: lan }]",
      "agents[0].network in slipway.yaml must be one of allow, loopback, none.",
    ],
    [
      "[{ name: a, kind: llm, model: m, url: 'ftp://x' }]",
      "agents[0].url in slipway.yaml must be an address such as https://models.example/v1.",
    ],
    [
      "[{ name: a, kind: llm, model: m, url: 'https://me:pw@x/v1' }]",
      "agents[0].url in slipway.yaml must not contain credentials",
    ],
    [
      "[{ name: a, kind: llm, model: m, url: 'https://x', key_env: sk-123 }]",
      "agents[0].key_env in slipway.yaml must be the name of an environment variable",
    ],
    [
      "[{ name: a, kind: acp, command: x, permissions: maybe }]",
      "agents[0].permissions in slipway.yaml must be one of allow, ask, deny.",
    ],
    [
      "[{ name: a, kind: command, command: x, permissions: ask }]",
      "agents[0].permissions in slipway.yaml is not a key of agents of kind 'command'.",
    ],
    ["[{ name: a, kind: acp }]", "agents[0] in slipway.yaml needs a 'command' that speaks the Agent Client Protocol."],
    ["[{ name: a, kind: blueprint }, { name: a, kind: blueprint }]", "agents in slipway.yaml: two have the name 'a'."],
  ] as const)("%s", ([yaml, message]) => {
    const problems = problemsOf(yaml);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  test("all of it at once, and no value among it", () => {
    const problems = problemsOf(
      "[{ name: 'no/slash', kind: llm, url: secret-url, model: [secret-model], slots: secret-slots, x: secret-x }]",
    );
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toMatch(/secret-/);
  });
});
