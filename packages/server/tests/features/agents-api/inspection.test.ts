import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Agent, AgentContext, AgentVision, Task } from "@slipway/contract";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { refusalOf, untilEnded } from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";
import { until } from "../../support/until.ts";

const { app, play, agentId } = await createStage();
const { call, db } = app;

const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>';
const letGo = Promise.withResolvers<void>();
let agent = "";
let project = "";
let folder = "";
let owner = { userId: "", token: "" };

interface Look {
  readonly file?: string;
  readonly query?: string;
  readonly token?: string;
  readonly headers?: Record<string, string>;
}

const look = ({ file = "page.txt", query = "", token, headers = {} }: Look = {}) =>
  call({
    url: `/api/v1/agents/${agent}/vision?file=${encodeURIComponent(file)}${query}`,
    headers,
    ...(token !== undefined && { token }),
  });
const see = async (options?: Look) => (await look(options)).json<AgentVision>();
const context = (query = "", token?: string) =>
  call({ url: `/api/v1/agents/${agent}/context${query}`, ...(token !== undefined && { token }) });

/** An agent at its second task: what the first made is there, and it has begun to change it. */
beforeAll(async () => {
  owner = await app.userToken("svc:user");
  agent = await agentId("scripted");
  const tasks = [{ id: "first" }, { id: "second", depends_on: ["first"] }];
  project = await play(
    { tasks },
    async (work) => {
      if (work.task.id === "first") {
        await mkdir(join(work.folder, "img"));
        const files = { "page.txt": "one\ntwo\nthree\n", "gone.txt": "gone\n", "img/a.png": png, "a.svg": svg };
        for (const [name, content] of Object.entries(files)) await writeFile(join(work.folder, name), content);
        return { is: "done" };
      }
      if (work.task.id !== "second") return undefined;
      work.onStatus("turning pages");
      ({ folder } = work);
      await writeFile(join(folder, "page.txt"), "one\n2\nthree\n");
      await writeFile(join(folder, "new.txt"), "new\n");
      await writeFile(join(folder, "img/a.png"), Buffer.concat([png, png]));
      await rm(join(folder, "gone.txt"));
      await letGo.promise;
      return { is: "done" };
    },
    { token: owner.token },
  );
  await until(() => folder !== "");
  await until(async () => (await context("?task=second")).statusCode === 200);
});

describe("what an agent was given", () => {
  test("is its task, prompt, files, limits, and what it used", async () => {
    const given = (await context()).json<AgentContext>();
    expect(given).toEqual({
      agent_id: agent,
      project_id: project,
      task_id: "second",
      attempt: 1,
      prompt: expect.stringContaining("second"),
      base_commit: expect.stringMatching(/^[0-9a-f]{40}$/),
      files: [
        { path: "a.svg", size_bytes: svg.length },
        { path: "gone.txt", size_bytes: 5 },
        { path: "img/a.png", size_bytes: 16 },
        { path: "page.txt", size_bytes: 14 },
      ],
      files_total: 4,
      limits: expect.objectContaining({ minutes: 30 }),
      last_status: null,
      usage: { input_tokens: null, output_tokens: null, cost_usd: null },
      started_at: expect.stringMatching(/Z$/),
      ended_at: null,
      outcome: null,
    });
    expect((await context(`?project=${project}&task=first`)).json()).toMatchObject({
      task_id: "first",
      files: [],
      files_total: 0,
      outcome: "completed",
    });
  });

  test("is for who may read the project, and nobody else", async () => {
    const stranger = await app.userToken("svc:user");
    const reader = await app.userToken("svc:readonly");
    for (const ask of [(token: string) => context("", token), (token: string) => look({ token })]) {
      expect((await ask(owner.token)).statusCode).toBe(200);
      expect((await ask(reader.token)).statusCode).toBe(200);
      expect(refusalOf(await ask(stranger.token))).toEqual([
        404,
        "The agent 'scripted' has not been given anything yet that you may see.",
      ]);
    }
    expect((await context(`?project=${project}`, stranger.token)).statusCode).toBe(404);
    expect((await context("?project=proj_none")).statusCode).toBe(404);
    expect((await context("?task=none")).statusCode).toBe(404);
    expect((await call({ url: "/api/v1/agents/agent_none/context" })).statusCode).toBe(404);
  });

  test("is for approvers of the project, who also see what the agent works on", async () => {
    const [approver, stranger] = [await app.userToken("svc:user"), await app.userToken("svc:user")];
    await sql`
      insert into approvals (id, project_id, gate, round, phase, environment, approvers, deadline)
      select 'appr_reader', ${project}, 'deployment', 99, 'deployment', 'production', array[name], now() + interval '1 hour'
      from users where id = ${approver.userId}`.execute(db);
    const tasksSeenBy = async ({ token }: { token: string }) => {
      const [agents, one, status] = await Promise.all([
        call({ url: "/api/v1/agents", token }),
        call({ url: `/api/v1/agents/${agent}`, token }),
        call({ url: `/api/v1/agents/${agent}/status`, token }),
      ]);
      const listed = agents.json<{ agents: Agent[] }>().agents.find(({ agent_id }) => agent_id === agent);
      return [listed, one.json<Agent>(), status.json<Agent>()].map((seen) => seen?.current_task);
    };
    expect(await tasksSeenBy(approver)).toEqual(["second", "second", "second"]);
    expect((await context("", approver.token)).json()).toMatchObject({ project_id: project, task_id: "second" });
    expect(await tasksSeenBy(stranger)).toEqual([null, null, null]);
    await sql`delete from approvals where id = 'appr_reader'`.execute(db);
    expect(await tasksSeenBy(approver)).toEqual([null, null, null]);
  });

  test("needs a key that may read projects", async () => {
    const narrow = await app.apiKey(["agents:read"]);
    const wide = await app.apiKey(["agents:read", "projects:read"]);
    const refused = await context("", narrow.key);
    expect(refusalOf(refused)).toEqual([403, expect.stringContaining("'projects:read'")]);
    expect(refused.headers["www-authenticate"]).toContain('scope="projects:read"');
    expect((await context("", wide.key)).statusCode).toBe(200);
  });
});

describe("a file as an agent sees it", () => {
  test("is what it was given, what it has made of it, and the difference", async () => {
    expect(await see()).toEqual({
      agent_id: agent,
      project_id: project,
      task_id: "second",
      attempt: 1,
      path: "page.txt",
      media_type: "text/plain",
      is_binary: false,
      base: { text: "one\ntwo\nthree\n", size_bytes: 14 },
      current: { text: "one\n2\nthree\n", size_bytes: 12 },
      source: "folder",
      diff: "--- a/page.txt\n+++ b/page.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
    });
  });

  test("may be new, gone, or as it was", async () => {
    expect(await see({ file: "new.txt" })).toMatchObject({
      base: null,
      current: { text: "new\n" },
      diff: "--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1 @@\n+new\n",
    });
    expect(await see({ file: "gone.txt" })).toMatchObject({
      base: { text: "gone\n" },
      current: null,
      source: "folder",
    });
    expect(await see({ file: "a.svg" })).toMatchObject({ current: { text: svg }, diff: "", media_type: "text/plain" });
  });

  test("is passed as an image if it is one, and acts on nobody", async () => {
    const answer = await look({ file: "img/a.png", query: "&as=image" });
    expect(answer.headers).toMatchObject({
      "content-type": "image/png",
      "content-disposition": 'attachment; filename="a.png"',
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
    expect(answer.rawPayload).toEqual(Buffer.concat([png, png]));
    const base = await look({ file: "img/a.png", query: "&side=base", headers: { accept: "image/*" } });
    expect(base.rawPayload).toEqual(png);
    expect(await see({ file: "img/a.png" })).toMatchObject({
      media_type: "image/png",
      is_binary: true,
      base: { text: null, size_bytes: 16 },
      current: { text: null, size_bytes: 32 },
      diff: null,
    });
  });

  test("is never passed as an image if it is none, whatever it is called", async () => {
    expect(refusalOf(await look({ file: "a.svg", query: "&as=image" }))).toEqual([
      400,
      "'a.svg' is not an image that can be shown (PNG, JPEG, GIF, WebP).",
    ]);
    const asked = await look({ file: "a.svg", headers: { accept: "image/svg+xml,image/*" } });
    expect(asked.headers["content-type"]).toContain("application/json");
  });

  test("is shown in full up to a limit", async () => {
    await writeFile(join(folder, "large.txt"), "x".repeat(1024 * 1024 + 1));
    expect(await see({ file: "large.txt" })).toMatchObject({
      is_binary: false,
      current: { text: null, size_bytes: 1024 * 1024 + 1 },
      diff: null,
    });
    await writeFile(join(folder, "huge.bin"), Buffer.alloc(10 * 1024 * 1024 + 1));
    const { current, diff } = await see({ file: "huge.bin" });
    expect([current, diff]).toEqual([{ text: null, size_bytes: 10 * 1024 * 1024 + 1 }, null]);
  });

  test.for([
    "../index",
    "../../../../master-key",
    "/etc/passwd",
    "img/../../index",
    "img/./a.png",
    "img//a.png",
    "img",
    ".",
    "..",
    ".git/config",
    "page.txt/",
    "page.txt\u0000.png",
    "none.txt",
    "link-out/passwd",
    "link-to-passwd",
    "link-up/index",
    "pipe",
  ])("cannot be anything else than a file in its folder: %j", async (file) => {
    await symlink("/etc", join(folder, "link-out")).catch(() => undefined);
    await symlink("/etc/passwd", join(folder, "link-to-passwd")).catch(() => undefined);
    await symlink("..", join(folder, "link-up")).catch(() => undefined);
    await rm(join(folder, "pipe"), { force: true });
    execFileSync("mkfifo", [join(folder, "pipe")]);
    const answer = await look({ file });
    expect([400, 404], answer.payload).toContain(answer.statusCode);
    expect(answer.payload).not.toContain("root:");
    for (const name of ["link-out", "link-to-passwd", "link-up", "pipe"]) await rm(join(folder, name));
  });

  test("may be a link to another file in its folder", async () => {
    await symlink("../page.txt", join(folder, "img/page"));
    expect(await see({ file: "img/page" })).toMatchObject({ current: { text: "one\n2\nthree\n" } });
    await rm(join(folder, "img/page"));
  });

  test("is only what it was given while it works on another node", async () => {
    await sql`update agent_runs set attempt_id = 'far-' || attempt_id where task_id = 'second'`.execute(db);
    expect(await see()).toMatchObject({
      base: { text: "one\ntwo\nthree\n" },
      current: null,
      source: "elsewhere",
      diff: null,
    });
    await sql`update agent_runs set attempt_id = substr(attempt_id, 5) where task_id = 'second'`.execute(db);
  });

  test("is what has become of it once the agent has ended", async () => {
    for (const name of ["large.txt", "huge.bin"]) await rm(join(folder, name));
    letGo.resolve();
    expect(await untilEnded(app, project)).toMatchObject({ status: "deployed" });
    const seen = await until(async () => {
      const now = await see({ query: "&task=second" });
      return now.source === "head" && now;
    });
    expect(seen).toMatchObject({
      base: { text: "one\ntwo\nthree\n" },
      current: { text: "one\n2\nthree\n" },
      diff: expect.stringContaining("+2"),
    });
    // On a node that has never worked for the project.
    await rm(join(app.dataFolder, "workspaces", project), { recursive: true });
    expect(await see({ query: "&task=second" })).toMatchObject({
      source: "head",
      current: { text: "one\n2\nthree\n" },
    });
  });
});

test("each attempt tells what it used, and the tasks in sum", { tags: "long" }, async () => {
  const id = await play({ tasks: [{ id: "only" }] });
  await untilEnded(app, id);
  await sql`update agent_runs set input_tokens = 10, output_tokens = 2, cost_usd = 0.5
    where project_id = ${id} and task_id = 'only'`.execute(db);
  const page = (await call({ url: `/api/v1/projects/${id}/tasks` })).json<{ tasks: Task[]; usage: object }>();
  expect(page.usage).toEqual({ input_tokens: 10, output_tokens: 2, cost_usd: 0.5, is_complete: false });
  const usageOf = (taskId: string) => page.tasks.find(({ task_id }) => task_id === taskId)!.attempts[0]!.usage;
  expect(usageOf("only")).toEqual({ input_tokens: 10, output_tokens: 2, cost_usd: 0.5 });
  expect(usageOf("plan")).toEqual({ input_tokens: null, output_tokens: null, cost_usd: null });
});
