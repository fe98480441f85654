import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Agent, LogPage, Project } from "@slipway/contract";
import { afterAll, describe, expect, test } from "vitest";
import { startA2aAgent, text } from "../../support/agents/scripted-a2a-agent.ts";
import { startScriptedModel } from "../../support/agents/scripted-model.ts";
import { eventsOf, submit, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";

process.env["DECLARED_TEST_KEY"] = "open-sesame/42";
afterAll(() => {
  delete process.env["DECLARED_TEST_KEY"];
});

const model = await startScriptedModel((_, index) =>
  index === 0 ? { calls: [{ name: "write", input: { path: "made-by-model.txt", content: "hello\n" } }] } : undefined,
);
afterAll(() => model.close());

const elsewhere = await startA2aAgent({
  isStreaming: true,
  key: "open-sesame/42",
  steps: [{ status: "the key is open-sesame/42" }, { artifact: [text("hello\n", { filename: "made-elsewhere.txt" })] }],
});
afterAll(() => elsewhere.close());

/** A command-line agent that is a line for a shell; it finds its prompt on its standard input. */
function shellAgent(capability: string, line: string) {
  return {
    name: capability,
    kind: "command",
    command: "sh",
    args: ["-c", line],
    env: ["DECLARED_TEST_KEY"],
    capabilities: [capability],
    slots: 2,
  };
}

const eatMemory = `node -e 'const all = []; setInterval(() => all.push(Buffer.alloc(20e6, 1)), 5)'`;

const configFolder = await mkdtemp(join(tmpdir(), "slipway-config-"));
afterAll(() => rm(configFolder, { recursive: true, force: true }));
await writeFile(join(configFolder, "build-it.sh"), "#!/bin/sh\ncat > prompt.txt\n", { mode: 0o755 });

const app = await createTestApp({
  sandbox: "auto",
  engine: { retryDelayMs: () => 0 },
  agents: {
    file: join(configFolder, "slipway.yaml"),
    declared: [
      { name: "ours", kind: "command", command: "./build-it.sh", capabilities: ["scripted"] },
      shellAgent("writes", "cat > prompt.txt; echo working; echo the key is $DECLARED_TEST_KEY"),
      shellAgent("leaks", "env > env.txt"),
      shellAgent("lies", "echo done"),
      shellAgent("breaks", "echo something is wrong with $DECLARED_TEST_KEY >&2; exit 3"),
      shellAgent("eats", eatMemory),
      {
        name: "model",
        kind: "llm",
        url: model.baseUrl,
        model: "tiny",
        key_env: "DECLARED_TEST_KEY",
        capabilities: ["thinks"],
      },
      { name: "second builder", kind: "blueprint" },
      { name: "small builder", kind: "blueprint", capabilities: ["api"] },
      { name: "elsewhere", kind: "a2a", url: elsewhere.url, key_env: "DECLARED_TEST_KEY", capabilities: ["travels"] },
    ],
  },
});

const documentWith = (id: string, more: string) => `
spec_version: "1.0.0"
id: ${id}
name: ${id}
description: Work for an agent of the operator's.
outcome_type: library
stack: {}
acceptance: { tests: [{ file: "test/*.js" }] }
${more}`;

async function runWith(capability: string, more = ""): Promise<Project> {
  const id = await submit(
    app,
    `
spec_version: "1.0.0"
id: ${capability}
name: ${capability}
description: Work for an agent of the operator's.
outcome_type: library
stack: {}
acceptance: {}
requirements: { agents: { implementer: { capabilities: [${capability}] } } }
${more}`,
  );
  return untilEnded(app, id);
}

async function logsOf(id: string): Promise<string> {
  const page = (await app.call({ url: `/api/v1/projects/${id}/logs?tail=10000` })).json<LogPage>();
  return page.lines.map(({ text }) => text).join("\n");
}

test("a program beside the config file is found there, also in the sandbox", async () => {
  expect(await runWith("scripted")).toMatchObject({ status: "deployed", error: null });
});

describe("an agent that the operator declared", () => {
  test("of kind blueprint can do what the built-in one can, unless the operator lists less", async () => {
    const { agents } = (await app.call({ url: "/api/v1/agents?limit=100" })).json<{ agents: Agent[] }>();
    const capabilitiesOf = (name: string) => agents.find((agent) => agent.name === name)?.capabilities;
    expect(capabilitiesOf("second builder")).toContain("library");
    expect(capabilitiesOf("second builder")).toEqual(capabilitiesOf("builder"));
    expect(capabilitiesOf("small builder")).toEqual(["api"]);
  });

  test("builds what the built-in one does not, so a dry run reports nothing of its work as unmet", async () => {
    const tried = async (requirements: string) => {
      const payload = `${documentWith("writes", requirements)}
phases: { one: { features: [Anything in words.] } }\n`;
      const headers = { "content-type": "application/yaml" };
      const answer = await app.call({ method: "POST", url: "/api/v1/projects?dry_run=true", headers, payload });
      return answer.json<{ unmet: { pointer: string }[] }>();
    };
    const other = await tried("requirements: { agents: { implementer: { capabilities: [writes] } } }");
    expect(other.unmet).toEqual([]);
    const builtIn = await tried("");
    expect(builtIn.unmet.map(({ pointer }) => pointer)).toContain("/phases/one/features/0");
  });

  test("is told what to do, and what it changes becomes the result", async () => {
    const project = await runWith("writes");
    expect(project).toMatchObject({ status: "deployed", error: null });
    const [build] = (await tasksOf(app, project.project_id)).filter(({ role }) => role === "implementer");
    expect(build?.attempts).toHaveLength(1);
  });

  test("leaves a log, in which no secret is to be seen", { tags: "long" }, async () => {
    const { project_id: id } = await runWith("writes");
    await expect.poll(() => logsOf(id)).toContain("working");
    const lines = await logsOf(id);
    expect(lines).toContain("the key is ********");
    expect(lines).not.toContain("open-sesame");
  });

  test("has failed when it writes its environment into a file, which is named", { tags: "long" }, async () => {
    const { error } = await runWith("leaks");
    expect(error).toMatchObject({ code: "secret_found", message: expect.stringContaining("'env.txt' contains") });
  });

  test("has failed when it says that it is done and has changed nothing", { tags: "long" }, async () => {
    expect((await runWith("lies")).error).toMatchObject({ code: "nothing_changed" });
  });

  test("has failed when its program has, and its last words are told", async () => {
    const { error, project_id: id } = await runWith("breaks");
    expect(error?.message).toContain("something is wrong with ********");
    const failures = (await eventsOf(app, id)).filter(({ event }) => event === "agent.task_failed");
    expect(failures).toHaveLength(3);
  });

  test("is ended when it takes more memory than the document allows", { tags: "long" }, async () => {
    const { error } = await runWith("eats", "resources: { memory_gb: 0.3 }");
    expect(error?.message).toMatch(
      /^Process killed due to memory limit exceeded\. Agent used [\d.]+(MB|GB), limit was 307MB\./,
    );
  });

  test("may be a model, which works with tools of ours", { tags: "long" }, async () => {
    const project = await runWith("thinks");
    expect(project).toMatchObject({ status: "deployed" });
    expect(model.questions[0]?.headers.authorization).toBe("Bearer open-sesame/42");
    expect(await logsOf(project.project_id)).not.toContain("open-sesame");
  });
});

test("an agent may be elsewhere, and be told of by its card", { tags: "long" }, async () => {
  const project = await runWith("travels");
  expect(project).toMatchObject({ status: "deployed", error: null });
  expect(elsewhere.messages[0]?.parts[0]?.content).toMatchObject({ value: expect.stringContaining("text/x-diff") });
  await expect.poll(() => logsOf(project.project_id)).toContain("the key is ********");
});

test("agents are listed with what they can do and what they are at", async () => {
  const { agents } = (await app.call({ url: "/api/v1/agents?limit=100" })).json<{ agents: Agent[] }>();
  expect(agents.map(({ name, kind }) => `${name} ${kind}`).toSorted()).toEqual(
    [
      "breaks command",
      "builder blueprint",
      "eats command",
      "elsewhere a2a",
      "leaks command",
      "lies command",
      "model llm",
      "second builder blueprint",
      "small builder blueprint",
      "ours command",
      "writes command",
    ].toSorted(),
  );
  const writer = agents.find(({ name }) => name === "writes")!;
  expect(writer).toMatchObject({ status: "idle", slots: 2, capabilities: ["writes"], current_project: null });
  const status = await app.call({ url: `/api/v1/agents/${writer.agent_id}/status` });
  expect(Object.keys(status.json()).toSorted()).toEqual(
    ["agent_id", "current_project", "current_task", "last_activity", "status", "utilization"].toSorted(),
  );
  expect((await app.call({ url: "/api/v1/agents/agent_none/status" })).statusCode).toBe(404);
});
