import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { FunctionWork } from "../../src/agents/index.ts";
import { tasksOf, untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

const { app, play } = await createStage();
const commands = { acceptance: { commands: ["grep -q right made.txt"] } };

const isRepair = ({ task }: FunctionWork) => task.id.startsWith("slipway-repair-");
const write = async ({ folder }: FunctionWork, text: string) => {
  await writeFile(join(folder, "made.txt"), text);
  return { is: "done" } as const;
};

async function attemptsOf(id: string): Promise<string[]> {
  const tasks = await tasksOf(app, id);
  return tasks.flatMap(({ task_id, attempts }) => attempts.map(({ outcome }) => `${task_id} ${outcome}`));
}

describe("what the validation finds", () => {
  test("is mended by the implementer, who is told exactly what does not hold", async () => {
    const told: string[] = [];
    const id = await play(commands, async (work) => {
      if (work.task.role === "planner") return undefined;
      if (!isRepair(work)) return write(work, "wrong");
      told.push(work.task.description ?? "");
      expect(await readFile(join(work.folder, "made.txt"), "utf8")).toBe("wrong");
      return write(work, "right");
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", checks: { failed: 0 } });
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("Mend the software, not its checks.");
    expect(told[0]).toContain("/acceptance/commands/0");
    expect(told[0]).toContain("it ended with exit code 1, expected 0");
    expect(await attemptsOf(id)).toEqual([
      "plan completed",
      "build-play completed",
      "slipway-repair-1 completed",
      "validate failed",
      "validate completed",
      "deploy completed",
    ]);
    const repair = (await tasksOf(app, id)).find(({ task_id }) => task_id === "slipway-repair-1");
    expect(repair).toMatchObject({ role: "implementer", phase: "validation", serves: ["/acceptance/commands/0"] });
  });

  test("may be that tests could not run: once they do, nobody misses what said why", async () => {
    const files = (source: string) => ({
      "package.json": JSON.stringify({
        name: "sum",
        version: "1.0.0",
        type: "module",
        scripts: { test: "node --test" },
      }),
      "sum.js": `export const sum = (a, b) => ${source};\n`,
      "sum.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { sum } from "./sum.js";
test("adds", () => assert.equal(sum(1, 2), 3));
`,
    });
    let told = "";
    const id = await play({}, async (work) => {
      if (work.task.role === "planner") return undefined;
      if (isRepair(work)) told = work.task.description ?? "";
      for (const [path, text] of Object.entries(files(isRepair(work) ? "a + b" : "a +")))
        await writeFile(join(work.folder, path), text);
      return { is: "done" };
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(await attemptsOf(id)).toContain("slipway-repair-1 completed");
    expect(told).toContain("SyntaxError: Unexpected token ';' (sum.js:1)");
  });

  test("fails the project after two rounds", async () => {
    let round = 0;
    const id = await play(commands, (work) => {
      if (work.task.role === "planner") return undefined;
      round += 1;
      return write(work, `still wrong ${round}`.replace("right", ""));
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "failed", error: { code: "acceptance_failed" } });
    expect((await attemptsOf(id)).filter((one) => one.startsWith("validate"))).toHaveLength(3);
  });

  test("stays the reason of the failure if the implementer changes nothing", async () => {
    const id = await play(commands, (work) => (isRepair(work) ? { is: "done" } : undefined));
    const project = await untilEnded(app, id);
    expect(project.error).toMatchObject({ code: "acceptance_failed", task_id: "validate" });
  });

  test("is not repaired where the document wants no rounds", async () => {
    const id = await play({ ...commands, guardrails: { repair_rounds: 0 } });
    expect(await untilEnded(app, id)).toMatchObject({ status: "failed" });
    expect((await attemptsOf(id)).some((one) => one.startsWith("slipway-repair"))).toBe(false);
  });

  test("is reviewed again once it is mended, and may be refused then", async () => {
    const reviewed: string[] = [];
    const requirements = { agents: { "security-auditor": { capabilities: ["api"] } } };
    const id = await play({ ...commands, requirements }, async (work) => {
      if (work.task.role === "planner") return undefined;
      if (work.task.role !== "security-auditor") return write(work, isRepair(work) ? "right, BACKDOOR" : "wrong");
      const made = await readFile(join(work.folder, "made.txt"), "utf8");
      reviewed.push(made);
      const review = made.includes("BACKDOOR")
        ? "verdict: refused\n\nA backdoor."
        : "verdict: accepted\n\nNo backdoor.";
      await writeFile(join(work.folder, "REVIEW.md"), review);
      return { is: "done" };
    });
    const project = await untilEnded(app, id);
    expect(project).toMatchObject({ status: "failed", error: { code: "review_refused" } });
    expect(reviewed).toEqual(["wrong", "right, BACKDOOR"]);
    expect(await attemptsOf(id)).toEqual([
      "plan completed",
      "build-play completed",
      "review-as-security-auditor completed",
      "review-as-security-auditor failed",
      "slipway-repair-1 completed",
      "validate failed",
    ]);
    const kept = await app.call({ url: `/api/v1/projects/${id}/artifacts/review` });
    expect(kept.body).toContain("A backdoor.");
  });

  test("is repaired anew after a restart", { tags: "long" }, async () => {
    let isGood = false;
    const id = await play(commands, (work) => {
      if (work.task.role === "planner") return undefined;
      return write(work, isGood && isRepair(work) ? "right" : `wrong ${Math.random()}`);
    });
    await untilEnded(app, id);
    isGood = true;
    const payload = { from_phase: "implementation" };
    await app.call({ method: "POST", url: `/api/v1/projects/${id}/restart`, payload });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const ids = (await tasksOf(app, id)).map(({ task_id }) => task_id);
    expect(ids).toEqual(["plan", "build-play", "slipway-repair-1", "validate", "deploy"]);
    // That of the round before the restart, and that of the round after it, whose number is another.
    expect((await attemptsOf(id)).filter((one) => one.startsWith("slipway-repair-1"))).toHaveLength(2);
  });
});
