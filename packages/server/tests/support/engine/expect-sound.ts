import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { RunState } from "../../../src/engine/lifecycle/index.ts";
import type { Database } from "../../../src/platform/database/index.ts";
import type { WrittenProject } from "./documents.ts";

const builtIn = { planning: ["plan"], validation: ["validate"], deployment: ["deploy"] };

/** Expects that a project has ended as it does when nothing happens to any node, and that nothing of it is lost or there twice. */
export async function expectSound(
  db: Database,
  data: string,
  projectId: string,
  written: WrittenProject,
): Promise<void> {
  const project = await db.selectFrom("projects").selectAll().where("id", "=", projectId).executeTakeFirstOrThrow();
  const { endings = [written.failsAt === undefined ? "deployed" : "failed"] } = written;
  expect({ status: project.status, error: project.error }, projectId).toMatchObject(
    written.failsAt === undefined
      ? { status: "deployed", error: null }
      : { status: "failed", error: { code: "scripted", task_id: written.failsAt } },
  );
  const events = await eventsOf(db, projectId);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, at) => at + 1));
  expect(project.last_sequence).toBe(events.length);
  expect(events.filter(({ name }) => ["project.created", "project.started"].includes(name))).toHaveLength(2);
  const ends = events.map(({ name }) => name).filter((name) => ["project.deployed", "project.failed"].includes(name));
  expect(ends).toEqual(endings.map((end) => `project.${end}`));
  expect(events.at(-1)?.name).toBe(ends.at(-1));
  const done = tasksOf(events, "agent.task_completed");
  expect(done.toSorted()).toEqual([...new Set(done)].toSorted());
  if (written.failsAt === undefined) expect(done.toSorted()).toEqual(allTasks(written).toSorted());
  expectOrder(events, written);
  expect(countEach(tasksOf(events, "agent.task_failed")), projectId).toEqual(written.failures);
  await expectAttempts(db, projectId, written, done);
  const checkpoints = await db.selectFrom("checkpoints").select("phase").where("project_id", "=", projectId).execute();
  expect(checkpoints.map(({ phase }) => phase).toSorted()).toEqual(phasesOf(events).toSorted());
  const jobs = await db
    .selectFrom("jobs")
    .selectAll()
    .where("group_id", "=", projectId)
    .where("kind", "<>", "deadline")
    .execute();
  expect(jobs, projectId).toEqual([]);
  await expectArtifacts(db, data, projectId);
  await expectRepository(data, project.state as unknown as RunState, written, done);
}

/** The folders of attempts, of all projects, that are still there. */
export function attemptFolders(data: string): string[] {
  const workspaces = join(data, "workspaces");
  return readdirSync(workspaces).flatMap((project) => {
    const attempts = join(workspaces, project, "attempts");
    try {
      return readdirSync(attempts).map((name) => join(attempts, name));
    } catch {
      return [];
    }
  });
}

interface Event {
  readonly sequence: number;
  readonly name: string;
  readonly data: { readonly task_id?: string; readonly phase?: string };
}

async function eventsOf(db: Database, projectId: string): Promise<Event[]> {
  const query = db.selectFrom("events").select(["sequence", "id", "name", "data"]).where("project_id", "=", projectId);
  const rows = await query.orderBy("sequence").execute();
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  return rows;
}

/** A phase ends after its tasks, and before any task of those that depend on it. */
function expectOrder(events: readonly Event[], written: WrittenProject): void {
  const placeOf = (name: string, what: { task_id?: string; phase?: string }) =>
    events.findIndex(
      (event) =>
        event.name === name && Object.entries(what).every(([key, value]) => event.data[key as "phase"] === value),
    );
  const phases = phasesOf(events);
  expect(phases).toEqual([...new Set(phases)]);
  if (written.failsAt === undefined)
    expect(phases.toSorted()).toEqual([...Object.keys(written.phases), ...Object.keys(builtIn)].toSorted());
  for (const phase of phases.filter((name) => name in written.phases)) {
    const end = placeOf("project.phase_completed", { phase });
    for (const task_id of written.phases[phase]!) {
      const place = placeOf("agent.task_completed", { task_id });
      expect(place, `${task_id} is done before ${phase} ends`).toBeGreaterThan(0);
      expect(place).toBeLessThan(end);
      for (const before of written.dependsOn[phase]!)
        expect(placeOf("project.phase_completed", { phase: before })).toBeLessThan(place);
    }
  }
}

async function expectAttempts(
  db: Database,
  projectId: string,
  written: WrittenProject,
  done: readonly string[],
): Promise<void> {
  const rows = await db
    .selectFrom("attempts")
    .selectAll()
    .where("project_id", "=", projectId)
    .orderBy("number")
    .execute();
  const byTask = Map.groupBy(rows, ({ task_id }) => task_id);
  for (const [task, attempts] of byTask) {
    expect(
      attempts.map(({ number }) => number),
      `attempts at ${task}`,
    ).toEqual(attempts.map((_, at) => at + 1));
    const failures = written.failures[task] ?? 0;
    const outcomes = [...Array<string>(failures).fill("failed"), ...(done.includes(task) ? ["completed"] : [])];
    expect(
      attempts.map(({ outcome }) => outcome),
      `attempts at ${task}`,
    ).toEqual(outcomes);
    for (const { queued_at, started_at, ended_at } of attempts) {
      expect(started_at!.getTime()).toBeGreaterThanOrEqual(queued_at.getTime());
      expect(ended_at.getTime()).toBeGreaterThanOrEqual(started_at!.getTime());
    }
  }
  expect([...byTask.keys()]).toEqual(expect.arrayContaining([...done]));
}

async function expectArtifacts(db: Database, data: string, projectId: string): Promise<void> {
  const rows = await db.selectFrom("artifacts").selectAll().where("project_id", "=", projectId).execute();
  expect(rows.map(({ path }) => path)).toContain("tasks.yaml");
  for (const { path, digest, size_bytes } of rows) expect(statSync(blobOf(data, digest)).size, path).toBe(size_bytes);
}

/** What was saved for other nodes holds the file and one commit of each task that is done, and nothing else. */
async function expectRepository(
  data: string,
  { head, merges }: RunState,
  written: WrittenProject,
  done: readonly string[],
): Promise<void> {
  const made = Object.values(written.phases)
    .flat()
    .filter((task) => done.includes(task));
  const folder = await mkdtemp(join(tmpdir(), "slipway-clone-"));
  const git = (...args: string[]) => execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  try {
    git("clone", "--quiet", blobOf(data, head!.bundle), folder);
    expect(git("-C", folder, "rev-parse", "HEAD").trim()).toBe(head!.commit);
    const trailers = git("-C", folder, "log", "--format=%(trailers:key=Slipway-Task,valueonly)");
    expect(trailers.split("\n").filter(Boolean).toSorted()).toEqual(made.toSorted());
    expect(merges).toBe(made.length);
    const files = readdirSync(folder).filter((name) => name !== ".git");
    expect(files.toSorted()).toEqual(made.map((task) => `${task}.txt`).toSorted());
    for (const file of files)
      expect(readFileSync(join(folder, file), "utf8")).toBe(file.replace(".txt", "").replaceAll("-", " "));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function blobOf(data: string, digest: string): string {
  return join(data, "artifacts", digest.slice(0, 2), digest.slice(2));
}

function allTasks({ phases }: WrittenProject): string[] {
  return [...Object.values(builtIn), ...Object.values(phases)].flat();
}

function tasksOf(events: readonly Event[], name: string): string[] {
  return events.filter((event) => event.name === name).map(({ data }) => data.task_id!);
}

function phasesOf(events: readonly Event[]): string[] {
  return events.filter(({ name }) => name === "project.phase_completed").map(({ data }) => data.phase!);
}

function countEach(names: readonly string[]): Record<string, number> {
  return Object.fromEntries([...Map.groupBy(names, (name) => name)].map(([name, all]) => [name, all.length]));
}
