import { execFile } from "node:child_process";
import { appendFile, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { checkpointsOf, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import type { Script } from "../../support/engine/scripted-agent.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage();

const run = promisify(execFile);
const projectFolder = (id: string) => join(app.dataFolder, "workspaces", id);
async function git(id: string, ...args: string[]): Promise<string> {
  const { stdout } = await run("git", ["--git-dir", join(projectFolder(id), "repo.git"), ...args]);
  return stdout.trim();
}
const head = async (id: string) => (await checkpointsOf(app, id))[0]!.commit!;

const twins = { phases: { both: { features: ["left", "right"] } }, performance: { parallel_tasks: 2 } };

/** Lets the two tasks of the first attempts end together, after each has done its work. */
function together(work: Script): Script {
  let ready = 0;
  return async (given) => {
    const said = await work(given);
    if (given.task.role !== "implementer" || given.attempt > 1) return said;
    ready += 1;
    await until(() => ready >= 2);
    return said;
  };
}

test("every task is a commit by its agent, with the task and the project as trailers", async () => {
  const id = await play({ phases: { one: { features: ["walls"] }, two: { features: ["roof"], depends_on: ["one"] } } });
  await untilEnded(app, id);
  const agent = await agentId("scripted");
  const format =
    "--format=%an <%ae>|%s|%(trailers:key=Slipway-Task,valueonly,separator=)|%(trailers:key=Slipway-Project,valueonly,separator=)";
  const log = (await git(id, "log", "--reverse", format, await head(id))).split("\n");
  expect(log.slice(1)).toEqual([
    `scripted <${agent}@slipway.invalid>|walls|walls|${id}`,
    `scripted <${agent}@slipway.invalid>|roof|roof|${id}`,
  ]);
  expect((await git(id, "ls-tree", "--name-only", await head(id))).split("\n")).toEqual(["roof.txt", "walls.txt"]);
});

test("each phase's checkpoint is the commit at its end", async () => {
  const id = await play({ phases: { one: { features: ["walls"] }, two: { features: ["roof"], depends_on: ["one"] } } });
  await untilEnded(app, id);
  const commits = new Map((await checkpointsOf(app, id)).map(({ phase, commit }) => [phase, commit]));
  expect(commits.get("planning")).toBeNull();
  expect(await git(id, "ls-tree", "--name-only", commits.get("one")!)).toBe("walls.txt");
  expect((await git(id, "ls-tree", "--name-only", commits.get("two")!)).split("\n")).toEqual(["roof.txt", "walls.txt"]);
  expect(commits.get("deployment")).toBe(commits.get("two"));
});

test("tasks side by side see nothing of each other, and both results are there at the end", async () => {
  const seen: string[][] = [];
  const id = await play(
    twins,
    together(async ({ task, folder }) => {
      if (task.role !== "implementer") return undefined;
      seen.push(await readdir(folder));
      await mkdir(join(folder, "src"));
      await writeFile(join(folder, "src", `${task.id}.ts`), "export {};\n");
      return { is: "done" };
    }),
  );
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(seen).toEqual([[], []]);
  const files = (await git(id, "ls-tree", "-r", "--name-only", await head(id))).split("\n");
  expect(files).toEqual(["src/left.ts", "src/right.ts"]);
  const attempts = (await tasksOf(app, id)).map((task) => task.attempts.length);
  expect(attempts).toEqual([1, 1, 1, 1, 1]);
});

test("of two that changed the same place one is tried again, on top of the other", async () => {
  const id = await play(
    twins,
    together(async ({ task, folder }) => {
      if (task.role !== "implementer") return undefined;
      await appendFile(join(folder, "notes.txt"), `${task.id} was here\n`);
      return { is: "done" };
    }),
  );
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const notes = (await git(id, "show", `${await head(id)}:notes.txt`)).split("\n");
  expect(notes.toSorted()).toEqual(["left was here", "right was here"]);
  const attempts = (await tasksOf(app, id)).filter(({ role }) => role === "implementer").map((task) => task.attempts);
  const [once, twice] = attempts.toSorted((a, b) => a.length - b.length);
  expect(once).toMatchObject([{ outcome: "completed" }]);
  expect(twice).toMatchObject([
    {
      outcome: "failed",
      error: { code: "merge_conflict", message: "Others have changed the same places meanwhile: notes.txt." },
    },
    { outcome: "completed" },
  ]);
});

test("a task after the validation may not change what was validated", async () => {
  const id = await play({ tasks: [{ id: "last", title: "Last words", phase: "deployment" }] });
  expect((await untilEnded(app, id)).error).toMatchObject({ code: "changed_too_late", task_id: "last" });
});

test("a task after the validation that changes nothing is done", async () => {
  const last = { id: "last", title: "Last words", phase: "deployment" };
  const id = await play({ tasks: [last] }, ({ task }) => (task.id === "last" ? { is: "done" } : undefined));
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});

test("a task that is in conflict at every attempt fails the project, and says over what", {
  tags: "long",
}, async () => {
  let writes = 0;
  // While the unlucky one works, another task of the same phase always gets in first.
  const rivals = { phases: { both: { features: ["unlucky", "r1", "r2", "r3", "r4"] } } };
  const turns = [1, 2, 3, 4].map(() => Promise.withResolvers<void>());
  const id = await play(
    { ...rivals, performance: { parallel_tasks: 3 } },
    async ({ task, folder, attempt, projectId }) => {
      if (task.role !== "implementer") return undefined;
      writes += 1;
      await writeFile(join(folder, "notes.txt"), `${task.id} ${writes}\n`);
      if (task.id === "unlucky") {
        turns[attempt - 1]!.resolve();
        await until(async () =>
          (await tasksOf(app, projectId)).some(
            ({ task_id, status }) => task_id === `r${attempt}` && status === "completed",
          ),
        );
      } else await turns[Number(task.id.slice(1)) - 1]!.promise;
      return { is: "done" };
    },
  );
  expect((await untilEnded(app, id)).error).toMatchObject({
    code: "merge_conflict",
    message: "Others have changed the same places meanwhile: notes.txt.",
    task_id: "unlucky",
  });
});

test("no attempt's folder is left when a project has ended", async () => {
  const id = await play(twins, ({ task, attempt }) =>
    task.id === "left" && attempt === 1 ? { is: "failed", code: "x", message: "x" } : undefined,
  );
  await untilEnded(app, id);
  await expect.poll(() => readdir(join(projectFolder(id), "attempts")).catch(() => [])).toEqual([]);
});

test("a folder is removed with its project", async () => {
  const id = await play({}, ({ task }) =>
    task.role === "implementer" ? { is: "failed", code: "x", message: "x" } : undefined,
  );
  await untilEnded(app, id);
  expect(await readdir(projectFolder(id))).toContain("repo.git");
  expect((await app.call({ method: "DELETE", url: `/api/v1/projects/${id}` })).statusCode).toBe(204);
  await expect.poll(() => readdir(projectFolder(id)).catch(() => "gone")).toBe("gone");
});
