// @module-tag soak
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Agent, ClaimedTask, LogPage, Project } from "@slipway/contract";
import { describe, expect, onTestFailed, onTestFinished, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import type { AgentDriver } from "../../../src/agents/drivers/driver.ts";
import { LeaseSignals, workerDriver } from "../../../src/agents/index.ts";
import { builtInAgent } from "../../../src/app/built-in-agent.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import { newFolder } from "../../support/agents/plain-host.ts";
import { startScriptedModel } from "../../support/agents/scripted-model.ts";
import { addingPatch } from "../../support/agents/worker-stage.ts";
import { readProject, submit, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { isRunning } from "../../support/engine/is-running.ts";
import { readPid } from "../../support/read-pid.ts";
import { Run, Service } from "../../support/run-service.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

/** Found soon to be gone, so that tests need not wait. */
let fragile: AgentDriver | undefined;
const fragileAgent = {
  name: "fragile",
  driver: {
    kind: "worker",
    probe: async () => ({ isUsable: true, version: "" }) as const,
    start: (...given: Parameters<AgentDriver["start"]>) => fragile!.start(...given),
  },
  capabilities: ["fragile"],
  slots: 1,
};
const app = await createTestApp({ engine: { retryDelayMs: () => 0, agents: [builtInAgent, fragileAgent] } });
const { db, call, adminToken } = app;
const url = await app.http.listen({ host: "127.0.0.1", port: 0 });
fragile = workerDriver({
  db,
  blobs: await FolderBlobStore.open(join(app.dataFolder, "artifacts")),
  leases: new LeaseSignals(() => undefined),
  timeouts: { claimMs: 60_000, heartbeatMs: 10_000 },
});
const { id: adminId } = await db
  .selectFrom("users")
  .select("id")
  .where("role", "=", "svc:admin")
  .executeTakeFirstOrThrow();
await db.updateTable("agents").set({ registered_by: adminId }).where("name", "=", "fragile").execute();

async function register(name: string, slots = 1): Promise<string> {
  const payload = { name, kind: "worker", capabilities: [name], slots };
  const answer = await call({ method: "POST", url: "/api/v1/agents", payload });
  if (answer.statusCode !== 201) throw new Error(answer.body);
  return answer.json<Agent>().agent_id;
}

function documentFor(capability: string, more = ""): string {
  return `
spec_version: "1.0.0"
id: ${capability}
name: ${capability}
description: Work for a worker elsewhere.
outcome_type: library
stack: {}
acceptance: {}
requirements: { agents: { implementer: { capabilities: [${capability}] } } }
${more}`;
}

/** `slipway worker` in a process of its own, as people start it. */
async function startWorker(
  name: string,
  args: readonly string[],
  { at = url, token = adminToken, sandbox = "none", folder = "" } = {},
) {
  const own = folder === "" ? await newFolder() : folder;
  const env = { SLIPWAY_URL: at, SLIPWAY_TOKEN: token, SLIPWAY_SANDBOX: sandbox, DECLARED_SECRET: "open-sesame/43" };
  const all = ["worker", "--name", name, "--capabilities", name, "--folder", own, ...args];
  const worker = new Run(all, { env, cwd: own });
  onTestFailed(() => console.error(`The worker '${name}' said:\n${worker.out}${worker.err}`));
  return { worker, folder: own };
}

/** Waits until a worker has asked for a task: before, nobody would count on it. */
async function untilThere(name: string, list: () => Promise<{ agents: Agent[] }> = listAgents): Promise<void> {
  await until(async () => (await list()).agents.some((agent) => agent.name === name && agent.status === "idle"));
}

/** Waits until an agent has begun, and gives the number of its process. */
function untilAtWork(pidFile: string, projectId: string): Promise<number> {
  return until(async () => {
    const pid = readPid(pidFile);
    if (pid !== undefined) return pid;
    const { error } = await readProject(app, projectId);
    if (error !== null) throw new Error(error.message);
    return undefined;
  });
}

async function listAgents(): Promise<{ agents: Agent[] }> {
  return (await call({ url: "/api/v1/agents?limit=100" })).json();
}

async function attemptsOf(id: string) {
  return (await tasksOf(app, id)).filter(({ role }) => role === "implementer").flatMap(({ attempts }) => attempts);
}

/** All lines of a project's log that look like this. */
async function linesOf(id: string, pattern: RegExp): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = "0"; ; ) {
    const page = (await call({ url: `/api/v1/projects/${id}/logs?service=agent&cursor=${cursor}` })).json<LogPage>();
    if (page.lines.length === 0 || page.next_cursor === cursor) return found;
    found.push(...page.lines.map(({ text }) => text).filter((text) => pattern.test(text)));
    cursor = page.next_cursor;
  }
}

async function logsOf(id: string): Promise<string> {
  const page = (await call({ url: `/api/v1/projects/${id}/logs?tail=10000` })).json<LogPage>();
  return page.lines.map(({ text }) => text).join("\n");
}

test("a project is built by whoever speaks the protocol", { tags: "long" }, async () => {
  const agentId = await register("scripted");
  const claiming = call({ method: "POST", url: `/api/v1/agents/${agentId}/claim`, payload: {} });
  await untilThere("scripted");
  const id = await submit(app, documentFor("scripted"));
  const lease = (await claiming).json<ClaimedTask>();
  expect(lease).toMatchObject({ project_id: id, task: { role: "implementer" } });
  const { lease_id, fence } = lease;
  const path = `patches/${lease_id}.patch`;
  await call({
    method: "POST",
    url: `/api/v1/projects/${id}/artifacts?type=patch&path=${path}&lease_id=${lease_id}&fence=${fence}`,
    headers: { "content-type": "application/octet-stream" },
    payload: addingPatch("made.txt", "made\n"),
  });
  const end = { fence, outcome: "done", patch: path };
  await call({ method: "POST", url: `/api/v1/leases/${lease_id}/complete`, payload: end });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(await attemptsOf(id)).toMatchObject([{ outcome: "completed", agent_id: agentId }]);
});

test.each(
  soakCases([
    ["a link that leads out", addingPatch("passwords", "/etc/passwd", "120000"), "leads out of the workspace"],
    [
      "a path that leads out",
      addingPatch("../../../x", "x\n"),
      "The worker's patch cannot be applied: error: invalid path",
    ],
    ["something that does not fit", "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n", "No such file"],
  ]),
)("a project is not harmed by a patch with %s", { tags: "long" }, async (what, patch, message) => {
  const name = what.replaceAll(" ", "-");
  const agentId = await register(name);
  await call({ method: "POST", url: `/api/v1/agents/${agentId}/claim`, payload: { wait_seconds: 0 } });
  await untilThere(name);
  const id = await submit(app, documentFor(name));
  const finish = async (bytes: string) => {
    const answer = await call({ method: "POST", url: `/api/v1/agents/${agentId}/claim`, payload: {} });
    const { lease_id, fence, prompt } = answer.json<ClaimedTask>();
    const path = `patches/${lease_id}.patch`;
    const search = `type=patch&path=${path}&lease_id=${lease_id}&fence=${fence}`;
    const headers = { "content-type": "application/octet-stream" };
    await call({ method: "POST", url: `/api/v1/projects/${id}/artifacts?${search}`, headers, payload: bytes });
    const payload = { fence, outcome: "done", patch: path };
    await call({ method: "POST", url: `/api/v1/leases/${lease_id}/complete`, payload });
    return prompt;
  };
  await finish(patch);
  // The next attempt begins with the files as they were, and hears why.
  expect(await finish(addingPatch("made.txt", "made\n"))).toContain(message);
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  const [failure, success] = await attemptsOf(id);
  expect(failure).toMatchObject({ outcome: "failed", error: { message: expect.stringContaining(message) } });
  expect(success).toMatchObject({ outcome: "completed" });
});

describe("`slipway worker`", () => {
  test("registers itself, does a task contained, and lets know what its agent says but no secret", {
    tags: "long",
  }, async () => {
    const line = "cat > prompt.txt; mkdir -p src; echo hello > src/hello.txt; echo the key is $DECLARED_SECRET";
    const config = {
      agents: [{ name: "any", kind: "command", command: "sh", args: ["-c", line], env: ["DECLARED_SECRET"] }],
    };
    const folder = await newFolder();
    writeFileSync(join(folder, "agents.yaml"), JSON.stringify(config));
    const { worker } = await startWorker("contained", ["--config", join(folder, "agents.yaml"), "--once"], {
      sandbox: "auto",
    });
    await untilThere("contained");
    const id = await submit(app, documentFor("contained"));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(await worker.ended).toMatchObject({ code: 0, err: "" });
    expect(await attemptsOf(id)).toHaveLength(1);
    const log = await until(async () => {
      const text = await logsOf(id);
      return text.includes("the key is") && text;
    });
    expect(log).toContain("the key is ********");
    expect(log).not.toContain("open-sesame");
  });

  test("brings all that its agent prints into the log, whatever it looks like", { tags: "long" }, async () => {
    const line = "cat > prompt.txt; seq 1 20000 | sed 's|^|· step |'; echo '→ tests all 12 pass'";
    await startWorker("lists", ["--command", line, "--once"]);
    await untilThere("lists");
    const id = await submit(app, documentFor("lists"));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    await until(async () => (await logsOf(id)).includes("all 12 pass"));
    const expected = Array.from({ length: 20_000 }, (_, at) => `· step ${at + 1}`);
    expect(await linesOf(id, /^(· step|→)/)).toEqual([...expected, "→ tests all 12 pass"]);
  });

  test("runs a model, and tells how much it used", { tags: "long" }, async () => {
    const model = await startScriptedModel((_, index) =>
      index === 0 ? { calls: [{ name: "write", input: { path: "made.txt", content: "hello\n" } }] } : undefined,
    );
    onTestFinished(() => model.close());
    const folder = await newFolder();
    const agents = [{ name: "model", kind: "llm", url: model.baseUrl, model: "tiny" }];
    writeFileSync(join(folder, "agents.yaml"), JSON.stringify({ agents }));
    await startWorker("thinking", ["--config", join(folder, "agents.yaml"), "--once"]);
    await untilThere("thinking");
    const id = await submit(app, documentFor("thinking"));
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    const [attempt] = await attemptsOf(id);
    expect(attempt?.usage.input_tokens).toBeGreaterThan(0);
  });

  test("tells of its agent's failure in the agent's own words", { tags: "long" }, async () => {
    await startWorker("failing", ["--command", "cat > /dev/null; echo no luck >&2; exit 3"]);
    await untilThere("failing");
    const id = await submit(app, documentFor("failing"));
    const { error } = await untilEnded(app, id);
    expect(error?.message).toContain("no luck");
    expect(await attemptsOf(id)).toHaveLength(3);
  });

  test("tells no secret of its machine in why a result is refused", { tags: "long" }, async () => {
    const line = 'cat > prompt.txt; mkdir -p "k-$DECLARED_SECRET"; mkfifo "k-$DECLARED_SECRET/pipe"';
    const agents = [{ name: "any", kind: "command", command: "sh", args: ["-c", line], env: ["DECLARED_SECRET"] }];
    const folder = await newFolder();
    writeFileSync(join(folder, "agents.yaml"), JSON.stringify({ agents }));
    await startWorker("refused", ["--config", join(folder, "agents.yaml")]);
    await untilThere("refused");
    const { error } = await untilEnded(app, await submit(app, documentFor("refused")));
    expect(error?.message).toContain("k-********/pipe");
  });

  test("stops its agent when the project is cancelled", { tags: "long" }, async () => {
    const pidFile = join(await newFolder(), "pid");
    const { worker } = await startWorker("stopped", ["--command", `echo $$ > ${pidFile}; exec sleep 600`]);
    await untilThere("stopped");
    const id = await submit(app, documentFor("stopped"));
    const pid = await untilAtWork(pidFile, id);
    await call({ method: "POST", url: `/api/v1/projects/${id}/cancel` });
    await until(async () => !(await isRunning(pid)));
    await until(() => worker.out.includes("lost: "));
  });

  test("that is killed has its task done by another, uncounted, and what it left running is ended", async () => {
    const place = await newFolder();
    const pidFile = join(place, "pid");
    const first = await startWorker("fragile", ["--command", `echo $$ > ${pidFile}; exec sleep 600`]);
    await untilThere("fragile");
    const id = await submit(app, documentFor("fragile"));
    const pid = await untilAtWork(pidFile, id);
    await first.worker.killGroup();
    const second = await startWorker("fragile", ["--command", "echo made > made.txt"], { folder: first.folder });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(await attemptsOf(id)).toMatchObject([{ outcome: "completed" }]);
    expect(await isRunning(pid)).toBe(false);
    expect(await readdir(first.folder)).toHaveLength(1);
    second.worker.child.kill("SIGTERM");
    expect(await second.worker.ended).toMatchObject({ code: 0 });
    expect(await readdir(first.folder)).toEqual([]);
  });

  test("that was frozen for long has lost its task, and ends its agent when it finds out", {
    tags: "long",
  }, async () => {
    const pidFile = join(await newFolder(), "pid");
    const first = await startWorker("fragile", ["--command", `echo $$ > ${pidFile}; exec sleep 600`]);
    await untilThere("fragile");
    const id = await submit(app, documentFor("fragile"));
    const pid = await untilAtWork(pidFile, id);
    process.kill(-first.worker.child.pid!, "SIGSTOP");
    await startWorker("fragile", ["--command", "echo made > made.txt", "--once"]);
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    process.kill(-first.worker.child.pid!, "SIGCONT");
    await until(async () => !(await isRunning(pid)));
    await until(() => first.worker.out.includes("lost: "));
  });

  test("that is told to end gives its task up at once, to another", { tags: "long" }, async () => {
    const pidFile = join(await newFolder(), "pid");
    await register("leaving");
    const first = await startWorker("leaving", ["--command", `echo $$ > ${pidFile}; exec sleep 600`]);
    await untilThere("leaving");
    const id = await submit(app, documentFor("leaving"));
    const pid = await untilAtWork(pidFile, id);
    first.worker.child.kill("SIGTERM");
    expect(await first.worker.ended).toMatchObject({ code: 0, out: expect.stringContaining("given up: ") });
    expect(await isRunning(pid)).toBe(false);
    await startWorker("leaving", ["--command", "echo made > made.txt", "--once"]);
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    expect(await attemptsOf(id)).toHaveLength(1);
  });

  test.each(
    soakCases([
      [["--url", "nonsense"], "--url must be the service's address."],
      [["--slots", "0"], "--slots must be a whole number from 1 to 20."],
      [
        ["--profile", "codex", "--command", "x"],
        "Only one of --profile, --command and --config says what the agent is.",
      ],
      [["--profile", "nobody"], "must be one of"],
      [["--nonsense"], "--nonsense"],
    ]),
  )("refuses %j", async (args, message) => {
    const { worker } = await startWorker("refused", args);
    expect(await worker.ended).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  test("says why the service does not let it in", async () => {
    const { worker } = await startWorker("stranger", [], { token: "spec_sk_nonsense" });
    expect(await worker.ended).toMatchObject({
      code: 1,
      err: "slipway: The token is not valid, has expired or was revoked.\n",
    });
  });
});

test("a worker goes on while the service restarts, ends or is killed, and its result counts", {
  tags: "long",
}, async () => {
  const place = await newFolder();
  const [started, gate] = [join(place, "started"), join(place, "go")];
  const options = { env: { SLIPWAY_SANDBOX: "none", SLIPWAY_LOG_LEVEL: "error" } };
  let service = await new Service(join(place, "data"), [], options).ready();
  const { port } = new URL(service.address);
  const restart = () =>
    new Service(join(place, "data"), [], options, ["serve", "--port", port, "--data", join(place, "data")]).ready();
  const line = `echo x >> ${started}; while [ ! -e ${gate} ]; do sleep 0.1; done; echo made > made.txt`;
  await startWorker("steady", ["--command", line], {
    at: service.address,
    token: service.adminToken,
  });
  await untilThere("steady", async () => (await service.call("/api/v1/agents")).json() as Promise<{ agents: Agent[] }>);
  const { project_id: id } = await service.createProject(documentFor("steady"));
  await until(() => existsSync(started));
  await service.stop();
  service = await restart();
  await service.killGroup();
  service = await restart();
  writeFileSync(gate, "");
  const project = await until(async () => {
    const read = (await (await service.call(`/api/v1/projects/${id}`)).json()) as Project;
    return ["deployed", "failed"].includes(read.status) && read;
  });
  expect(project).toMatchObject({ status: "deployed" });
  expect(readFileSync(started, "utf8")).toBe("x\n");
  await service.stop();
});

const hasPython = (() => {
  try {
    return execFileSync("python3", ["--version"], { encoding: "utf8" }).startsWith("Python 3");
  } catch {
    return false;
  }
})();

test.skipIf(!hasPython)("the example in Python does a task from its files to its patch", { tags: "long" }, async () => {
  const agentId = await register("python");
  const program = fileURLToPath(new URL("../../../../../examples/worker.py", import.meta.url));
  expect(readFileSync(program, "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(60);
  const line = "cat > prompt.txt; printf '\\000\\001' > bytes.bin; seq 1 2000";
  const child = spawn("python3", [program, agentId, "sh", "-c", line], {
    env: { PATH: process.env["PATH"], HOME: "/", SLIPWAY_URL: url, SLIPWAY_TOKEN: adminToken },
    stdio: ["ignore", "inherit", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  await untilThere("python");
  const id = await submit(app, documentFor("python"));
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  expect(await attemptsOf(id)).toHaveLength(1);
  await until(async () => (await linesOf(id, /^2000$/)).length > 0);
  expect(await linesOf(id, /^\d+$/)).toEqual(Array.from({ length: 2_000 }, (_, at) => String(at + 1)));
});
