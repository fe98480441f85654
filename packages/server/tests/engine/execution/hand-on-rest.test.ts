import { appendFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import type { FunctionWork } from "../../../src/agents/index.ts";
import { builtInAgent } from "../../../src/app/built-in-agent.ts";
import { finishingAgent } from "../../support/engine/finishing-agent.ts";
import { eventsOf, submit, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { getSource } from "../../support/source-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

type Doing = (work: FunctionWork) => Promise<void>;

/** What the agents do, by the document's id. */
const doings = new Map<string, Doing>();
const asked: { readonly name: string; readonly task: string; readonly prompt: string; readonly id: string }[] = [];

const agentCalled = (name: string, capabilities: string[], used?: Parameters<typeof finishingAgent>[2]) =>
  finishingAgent(
    { name, capabilities },
    async (work) => {
      asked.push({ name, task: work.task.id, prompt: work.prompt, id: work.document.id });
      await doings.get(work.document.id)?.(work);
    },
    used,
  );

const app = await createTestApp({
  engine: {
    agents: [
      builtInAgent,
      agentCalled("franz", ["documentation", "french"], { inputTokens: 1_000, outputTokens: 101, costUsd: 0.5 }),
      agentCalled("gerd", ["documentation", "german"]),
    ],
    retryDelayMs: () => 0,
  },
});
const { call } = app;
const idOf = async (name: string) =>
  (await app.db.selectFrom("agents").select("id").where("name", "=", name).executeTakeFirstOrThrow()).id;

interface Wanted {
  readonly id: string;
  readonly description?: string;
  /** What whoever finishes it must be able to do. */
  readonly finisher?: string;
  readonly more?: string;
}

const line = "/acceptance/commands/0";
const feature = "/phases/core/features/0";

/**
 * Documentation: its scripts cost nothing. No rule makes a greeting, or knows the build tools of others: a function of the shell
 * goes by the name of one, and takes no second to start as npm does.
 */
const documentOf = ({ id, description = "Greets.", finisher = "french", more = "" }: Wanted) => `spec_version: "1.0.0"
id: ${id}
name: Greeter
description: ${description}
outcome_type: documentation
stack: {}
scripts: { build: "true", test: "true", deploy: "true" }
acceptance:
  commands: ["make () { grep hello greeting.txt; }; make"]
requirements:
  agents:
    finisher: { capabilities: [documentation, ${finisher}] }
phases:
  core:
    features:
      - Write a greeting
${more}`;

async function run(wanted: Wanted, doing: Doing = async () => undefined) {
  doings.set(wanted.id, doing);
  // Ids sort by time, and the newest run counts.
  app.clock.advance(1_000);
  const id = await submit(app, documentOf(wanted));
  return { id, ...(await untilEnded(app, id)) };
}

const reportOf = async (id: string) =>
  (await call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
const finishing = async (id: string) => (await tasksOf(app, id)).filter(({ role }) => role === "finisher");

/** Writes what is asked for when the task for it comes. */
const greet: Doing = async ({ task, folder }) => {
  if (task.serves.includes(line)) await writeFile(join(folder, "greeting.txt"), "hello\n");
};

/** Replaces words of the builder's README. */
async function reword(folder: string, words: string | RegExp, by: string) {
  const path = join(folder, "README.md");
  await writeFile(path, (await readFile(path, "utf8")).replace(words, by));
}

/** One run that several tests look at. */
const helped = await run({ id: "helped" }, async (work) => {
  await greet(work);
  if (!work.task.serves.includes(line)) return;
  await reword(work.folder, "Greets.", "It greets.");
  await appendFile(join(work.folder, "README.md"), "\nIt also greets.\n");
});

describe("what no rule builds", () => {
  test("is reported as unmet if the agent that was to finish it changed nothing, in this run or before", {
    tags: "long",
  }, async () => {
    const lazy = { id: "lazy", more: "greeting_card: gold\n" };
    const unmetIn = async (id: string) => (await reportOf(id)).unmet.map(({ pointer }) => pointer);
    const { id } = await run(lazy, greet);
    expect(await unmetIn(id)).toContain("/greeting_card");
    expect((await reportOf(id)).unmet.every(({ reason }) => reason.includes("changed nothing"))).toBe(true);
    const card: Doing = async ({ task, folder }) => {
      if (task.serves.includes("/greeting_card")) await writeFile(join(folder, "card.txt"), "gold\n");
    };
    expect(await unmetIn((await run(lazy, card)).id)).not.toContain("/greeting_card");
    expect(await unmetIn((await run(lazy)).id), "it was finished before").not.toContain("/greeting_card");
  });

  test("stays unbuilt without an agent that can do it, and the project ends as its report says", async () => {
    const { id, status, error } = await run({ id: "alone", finisher: "cobol" }, greet);
    expect({ status, error }).toMatchObject({ status: "failed", error: { code: "acceptance_failed" } });
    expect((await tasksOf(app, id)).map(({ task_id }) => task_id)).toEqual([
      "plan",
      "write-a-greeting",
      "validate",
      "deploy",
    ]);
    expect(asked.filter((one) => one.id === "alone")).toEqual([]);
  });

  test("is done by the agent that can, on top of what the builder made, and the project is deployed", async () => {
    const { id, status, error, agents } = helped;
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    expect(agents).toMatchObject({ implementer: await idOf("builder"), finisher: await idOf("franz") });
    const [task] = await finishing(id);
    expect(task).toMatchObject({ depends_on: ["write-a-greeting"], phase: "core", status: "completed" });
    const files = await getSource(app, id);
    expect(files["greeting.txt"]).toBe("hello\n");
    expect(files["README.md"]).toContain("# Greeter");
    const prompt = asked.find((one) => one.id === "helped" && one.task === task!.task_id)!.prompt;
    expect(prompt).toContain("/phases/core/features/0, line 16");
    expect(prompt).toContain("- Write a greeting");
    expect(prompt).toContain("/acceptance/commands/0, line 9");
    expect(prompt).toMatch(/Files that speak of it.*README\.md/);
  });

  test("is mended by that agent when the validation finds that it still does not hold", { tags: "long" }, async () => {
    const { id, status } = await run({ id: "mended" }, async (work) => {
      if (work.task.id.startsWith("slipway-repair")) await greet(work);
    });
    expect(status).toBe("deployed");
    const tasks = await finishing(id);
    expect(tasks.map(({ task_id }) => task_id)).toContain("slipway-repair-1");
  });
});

describe("what an agent changed", () => {
  test("is kept when the document has changed; where both changed the same line, that agent may resolve it", {
    tags: "long",
  }, async () => {
    const changed = { id: "helped", description: "Greets people." };
    expect((await run(changed)).error).toMatchObject({ code: "regeneration_conflict" });
    const { id, status, error } = await run(changed, async ({ folder }) => {
      await reword(folder, /<<<<<<< yours\n.*?>>>>>>> regenerated/s, "It greets people.");
    });
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    const files = await getSource(app, id);
    expect(files["greeting.txt"]).toBe("hello\n");
    expect(files["README.md"]).toContain("It greets people.");
    expect(files["README.md"]).toContain("It also greets.");
    expect(files["README.md"]).not.toMatch(/<<<<|>>>>/);
  });

  test("is kept without asking again while nothing has changed; a changed line is asked for", {
    tags: "long",
  }, async () => {
    const askedFor = () => asked.filter(({ id }) => id === "kept").length;
    await run({ id: "kept" }, async (work) => {
      await greet(work);
      await writeFile(join(work.folder, `${work.task.id}.txt`), "done\n");
    });
    const first = askedFor();
    expect(first).toBeGreaterThan(0);
    for (const again of ["second", "third"]) {
      const { id, status, error } = await run({ id: "kept" });
      expect({ status, error }, again).toEqual({ status: "deployed", error: null });
      expect(askedFor(), again).toBe(first);
      expect((await getSource(app, id))["greeting.txt"]).toBe("hello\n");
      expect((await reportOf(id)).unmet).toEqual([]);
    }
    await run({ id: "kept", more: "greeting_card: gold\n" }, greet);
    expect(askedFor()).toBeGreaterThan(first);
  });

  test("is kept by the builder's own later tasks", { tags: "long" }, async () => {
    const more = "  later:\n    depends_on: [core]\n    features: [Write more]\n";
    const { id, status, error } = await run({ id: "later", more }, async (work) => {
      await greet(work);
      if (work.task.serves.includes(feature)) await appendFile(join(work.folder, "README.md"), "\nIt also greets.\n");
    });
    expect({ status, error }).toEqual({ status: "deployed", error: null });
    const done = (await eventsOf(app, id)).filter(({ event }) => event === "agent.task_completed");
    const order = done.map(({ data }) => (data as { task_id: string }).task_id);
    expect(order.indexOf("write-more")).toBeGreaterThan(order.indexOf("finish-features-of-core"));
    const files = await getSource(app, id);
    expect(files["README.md"]).toContain("It also greets.");
    expect(files["docs/tasks/write-more.md"]).toBeDefined();
  });
});

test("the dry run says which lines go to whom, by what the agents can do, and that nobody takes the others", async () => {
  const foresee = async (wanted: Wanted) => {
    const url = "/api/v1/projects?dry_run=true";
    const headers = { "content-type": "application/yaml" };
    const answer = await call({ method: "POST", url, headers, payload: documentOf(wanted) });
    expect(answer.statusCode, answer.payload).toBe(200);
    return answer.json<{
      unmet: { pointer: string; task_id?: string; agent_id?: string }[];
      tasks: { id: string; role: string; serves: string[]; description?: string }[];
    }>();
  };
  for (const [finisher, name] of [
    ["french", "franz"],
    ["german", "gerd"],
  ] as const) {
    const { unmet, tasks } = await foresee({ id: "foreseen", finisher });
    const handed = unmet.filter(({ pointer }) => [line, feature].includes(pointer));
    expect(new Set(handed.map(({ pointer }) => pointer)).size).toBe(2);
    for (const { agent_id, task_id } of handed) {
      expect(agent_id).toBe(await idOf(name));
      expect(tasks.find(({ id }) => id === task_id)).toMatchObject({ role: "finisher" });
    }
  }
  const nobody = await foresee({ id: "foreseen", finisher: "cobol" });
  expect(nobody.tasks.filter(({ role }) => role === "finisher")).toEqual([]);
  expect(nobody.unmet.map(({ pointer }) => pointer)).toEqual(expect.arrayContaining([line, feature]));
  expect(nobody.unmet.filter(({ task_id, agent_id }) => task_id !== undefined || agent_id !== undefined)).toEqual([]);
  // What is foreseen is what happens.
  const foreseen = (await foresee({ id: "helped" })).tasks.filter(({ role }) => role === "finisher");
  expect((await finishing(helped.id)).map(({ task_id }) => task_id)).toEqual(foreseen.map(({ id }) => id));
});

test("tokens and cost are shared evenly among the lines that a task serves, and stand in the report", async () => {
  const { id } = helped;
  const { lines, handed_on } = await reportOf(id);
  const franz = await idOf("franz");
  const served = (await finishing(id)).length;
  const shown = [...lines, ...handed_on].flatMap(({ usage }) => usage ?? []);
  const sum = (key: "input_tokens" | "output_tokens" | "cost_usd") =>
    shown.reduce((total, usage) => total + (usage[key] ?? 0), 0);
  expect([sum("input_tokens"), sum("output_tokens")]).toEqual([served * 1_000, served * 101]);
  expect(sum("cost_usd")).toBeCloseTo(served * 0.5);
  expect(handed_on.find(({ pointer }) => pointer === feature)).toMatchObject({ line: 16, agent_id: franz });
  const page = (await call({ url: `/api/v1/projects/${id}/artifacts/verification/report.html` })).payload;
  expect(page).toContain("Left to other agents");
  expect(page).toContain("tokens in");
});
