// @module-tag long
import { execFileSync } from "node:child_process";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Project } from "@slipway/contract";
import { expect, onTestFinished, test } from "vitest";
import { connectDatabase, type Schema, startEmbeddedPostgres } from "../../../src/platform/database/index.ts";
import type { AcpScript } from "../../support/agents/scripted-acp-agent.ts";
import { quietLog } from "../../support/database/quiet-log.ts";
import { attemptFolders } from "../../support/engine/expect-sound.ts";
import { isRunning } from "../../support/engine/is-running.ts";
import { entry, type Service, startService, usedDataFolder } from "../../support/run-service.ts";
import { until } from "../../support/until.ts";

const agentProgram = fileURLToPath(new URL("../../support/agents/scripted-acp-agent.ts", import.meta.url));

const document = `
spec_version: "1.0.0"
id: interrupted
name: Interrupted
description: Work for an agent that is interrupted.
outcome_type: library
stack: {}
acceptance: {}
requirements: { agents: { implementer: { capabilities: [talks] } } }
`;

const reviewed = `
spec_version: "1.0.0"
id: reviewed
name: Reviewed
description: Work of the built-in agent, which a reviewer who is interrupted looks at.
outcome_type: library
stack: {}
acceptance: {}
requirements: { agents: { auditor: { capabilities: [talks] } } }
`;

/** A service that was killed while its agent worked, and the agent's process, which lives on. */
interface Interrupted {
  readonly folder: string;
  readonly data: string;
  readonly projectId: string;
  readonly orphan: number;
  /** Starts it again, and lets the agent go on. */
  restart(): Promise<Service>;
  /** The same, and returns what the agent noted: every prompt that it got. */
  goOn(): Promise<string>;
}

async function interrupt(
  loads: NonNullable<AcpScript["loads"]>,
  {
    text = document,
    steps = [{ write: "made.txt", text: "made" }],
  }: { text?: string; steps?: AcpScript["steps"] } = {},
): Promise<Interrupted> {
  const data = await usedDataFolder();
  const folder = dirname(data);
  const [arrived, open] = [join(folder, "arrived"), join(folder, "open")];
  const script: AcpScript = { loads, steps: [...steps, { arrive: arrived, wait: open }] };
  const args = [agentProgram, JSON.stringify(script)];
  const agents = [{ name: "talker", kind: "acp", command: process.execPath, args, capabilities: ["talks", "auditor"] }];
  await writeFile(join(folder, "slipway.yaml"), JSON.stringify({ agents }));
  const start = () =>
    startService(data, ["--config", join(folder, "slipway.yaml")], {
      program: entry,
      env: { SLIPWAY_SANDBOX: "none", SLIPWAY_LOG_LEVEL: "error" },
    });
  const dead = await start();
  const { project_id: projectId } = await dead.createProject(text);
  const orphan = Number(await until(async () => (await readFile(arrived, "utf8").catch(() => "")) || undefined));
  await dead.killGroup();
  const restart = async () => {
    await writeFile(open, "");
    const service = await start();
    await untilDeployed(service, projectId);
    return service;
  };
  return {
    folder,
    data,
    projectId,
    orphan,
    restart,
    goOn: async () => {
      await restart();
      const { commit } = await headOf(data, projectId);
      const gitDir = join(data, "workspaces", projectId, "repo.git");
      return execFileSync("git", ["--git-dir", gitDir, "show", `${commit}:.agent-notes`], { encoding: "utf8" });
    },
  };
}

async function untilDeployed(service: Service, projectId: string): Promise<void> {
  const ended = await until(async () => {
    const project = (await (await service.call(`/api/v1/projects/${projectId}`)).json()) as Project;
    return ["deployed", "failed"].includes(project.status) && project;
  });
  expect(ended).toMatchObject({ status: "deployed", error: null });
}

async function headOf(data: string, projectId: string): Promise<{ commit: string }> {
  const server = await startEmbeddedPostgres({ folder: data, log: quietLog });
  server.leave();
  const { db, close } = connectDatabase<Schema>(server.connection, { log: quietLog });
  onTestFinished(close);
  const { state } = await db
    .selectFrom("projects")
    .select("state")
    .where("id", "=", projectId)
    .executeTakeFirstOrThrow();
  const run = await db.selectFrom("agent_runs").selectAll().where("agent_id", "is not", null).execute();
  expect(run.filter(({ handle }) => handle !== null)).toMatchObject([
    { number: 1, handle: "session-new", outcome: "completed", last_status: expect.any(String), input_tokens: null },
  ]);
  return (state as unknown as { head: { commit: string } }).head;
}

test("an agent whose service is killed goes on in its session, with its files, after a restart", async () => {
  const { data, orphan, goOn } = await interrupt("always");
  expect(await isRunning(orphan)).toBe(true);
  const notes = await goOn();
  expect(await isRunning(orphan)).toBe(false);
  expect(notes.match(/^(initialize|new|load|prompt)\b/gm)).toEqual([
    "initialize",
    "new",
    "prompt",
    "initialize",
    "load",
    "prompt",
  ]);
  expect(notes).toContain(
    "load session-new\nprompt You were interrupted while you worked on this. Look at what is there",
  );
  await until(() => attemptFolders(data).length === 0);
});

test("an agent whose session is gone begins a new one, with its files", { tags: "long" }, async () => {
  const notes = await (await interrupt("not this one")).goOn();
  expect(notes.match(/^(new|load|prompt)\b/gm)).toEqual(["new", "prompt", "load", "new", "prompt"]);
});

test("an agent whose files are gone learns that from its prompt", { tags: "long" }, async () => {
  const { data, goOn } = await interrupt("always");
  for (const folder of attemptFolders(data)) await rm(folder, { recursive: true });
  const notes = await goOn();
  expect(notes.match(/^(new|load|prompt)\b/gm)).toEqual(["load", "prompt"]);
  expect(notes).toContain("and the changes you had made are gone");
});

test("a review that was written before the service was killed is kept", { tags: "long" }, async () => {
  const { data, projectId, restart } = await interrupt("always", { text: reviewed, steps: [] });
  const [folder] = attemptFolders(data);
  // By the agent, say: it writes nothing when it goes on.
  await writeFile(join(folder!, "tree", "REVIEW.md"), "verdict: accepted\n\nWritten before.");
  const service = await restart();
  const kept = await service.call(`/api/v1/projects/${projectId}/artifacts/review`);
  expect(await kept.text()).toContain("Written before.");
});
