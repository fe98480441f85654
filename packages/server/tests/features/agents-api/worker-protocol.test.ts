import { readFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type LeaseState, maxSingleUploadBytes } from "@slipway/contract";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { breakdownPath } from "../../../src/agents/prompt/planning-sections.ts";
import { unpackFolder } from "../../../src/platform/archive/index.ts";
import { BlobError } from "../../../src/platform/blobs/index.ts";
import { newFolder, ofType } from "../../support/agents/plain-host.ts";
import { addingPatch, createWorkerStage, firstFiles } from "../../support/agents/worker-stage.ts";
import { until } from "../../support/until.ts";

const { app, blobs, owner, other, projectId, addAgent, offer, post, claim, upload, complete } =
  await createWorkerStage();
const { db, call } = app;

const unfailing = { claimMs: 60_000, heartbeatMs: 60_000 };
const away = new BlobError("store_unavailable", "The store is away.");
const hasty = { claimMs: 60_000, heartbeatMs: 300 };

describe("a worker that asks for a task", () => {
  test("is given all that it needs for it, and the files it begins with", async () => {
    const agentId = await addAgent("needs");
    const { ended } = await offer(agentId);
    const lease = await claim(agentId);
    expect(lease).toMatchObject({
      lease_id: expect.stringMatching(/^lease_/),
      fence: 1,
      agent_id: agentId,
      project_id: projectId,
      attempt: 1,
      task: { title: "Build the shop", role: "implementer" },
      prompt: "Build the shop.",
      document: { id: "shop", timeouts: { implementation_minutes: expect.any(Number) } },
      limits: { minutes: expect.any(Number) },
      heartbeat_seconds: 10,
    });
    const archive = await call({ url: lease.source_url, token: owner.token });
    expect(archive.headers["content-type"]).toBe("application/x-tar");
    const folder = await newFolder();
    await unpackFolder(chunks(archive.rawPayload), folder);
    for (const [path, text] of Object.entries(firstFiles))
      expect(await readFile(join(folder, path), "utf8")).toBe(text);
    await complete(lease);
    expect((await ended).report).toEqual({ is: "done" });
  });

  test("is answered with nothing when none came in its time", async () => {
    const agentId = await addAgent("idle");
    expect((await post(`agents/${agentId}/claim`, { wait_seconds: 0 })).statusCode).toBe(204);
    expect((await post(`agents/${agentId}/claim`, { wait_seconds: 1 })).statusCode).toBe(204);
  });

  test("is woken when one comes while it waits", async () => {
    const agentId = await addAgent("waits");
    const waiting = claim(agentId, 30);
    await isThere(agentId);
    const { run, ended } = await offer(agentId);
    expect(await waiting).toMatchObject({ agent_id: agentId });
    run.cancel();
    await ended;
  });

  test("and is gone when one comes leaves it to others", async () => {
    const agentId = await addAgent("goes");
    const url = `${await listening()}/api/v1/agents/${agentId}/claim`;
    const leaving = new AbortController();
    const asking = fetch(url, {
      method: "POST",
      headers: { authorization: `Bearer ${owner.token}`, "content-type": "application/json" },
      body: "{}",
      signal: leaving.signal,
    }).catch(() => undefined);
    await isThere(agentId);
    leaving.abort();
    await asking;
    const { run, ended } = await offer(agentId, { timeouts: unfailing });
    expect(await claim(agentId)).toMatchObject({ agent_id: agentId });
    run.cancel();
    await ended;
  });

  test("gets what was offered first, and nobody gets the same", async () => {
    const agentId = await addAgent("many");
    const runs = [];
    for (const taskId of ["first", "second", "third"]) runs.push(await offer(agentId, { taskId, timeouts: unfailing }));
    await until(async () => (await leasesOf(agentId)).length === 3);
    const order = (await leasesOf(agentId)).map(({ task_id }) => task_id);
    const leases = [];
    for (const _ of runs) leases.push(await claim(agentId));
    expect(leases.map(({ task }) => task.id)).toEqual(order);
    expect((await post(`agents/${agentId}/claim`, { wait_seconds: 0 })).statusCode).toBe(204);
    for (const { run, ended } of runs) {
      run.cancel();
      await ended;
    }
  });

  test("shows by it that it is there", async () => {
    const agentId = await addAgent("shown");
    await post(`agents/${agentId}/claim`, { wait_seconds: 0 });
    const status = await call({ url: `/api/v1/agents/${agentId}/status`, token: owner.token });
    expect(status.json()).toMatchObject({ status: "idle" });
  });

  test("must be a worker, and of the caller's own", async () => {
    const agentId = await addAgent("own");
    expect((await post(`agents/${agentId}/claim`, {}, other.token)).statusCode).toBe(404);
    expect((await post(`agents/${agentId}/claim`, {}, app.adminToken)).statusCode).toBe(404);
    expect((await post("agents/agent_none/claim", {})).statusCode).toBe(404);
    const program = await addAgent("a program", "command");
    expect((await post(`agents/${program}/claim`, {})).json()).toMatchObject({
      status: 409,
      detail: `The agent ${program} is of kind 'command': only workers ask for tasks.`,
    });
  });
});

describe("a worker at its task", () => {
  test("lets know what happens, and each thing is heard once and in order", async () => {
    const agentId = await addAgent("tells");
    const { ended } = await offer(agentId);
    const { lease_id: id, fence, ...lease } = await claim(agentId);
    const event = (sequence: number) => ({ sequence, type: "log", stream: "stdout", text: `line ${sequence}\n` });
    await post(`leases/${id}/events`, { fence, events: [event(2), event(1)] });
    await until(async () => (await unread(id)) === 0);
    // Its answer got lost on the way.
    await post(`leases/${id}/events`, { fence, events: [event(1), event(2), event(3)] });
    await post(`leases/${id}/events`, {
      fence,
      events: [
        { sequence: 4, type: "status", text: "thinking" },
        { sequence: 5, type: "usage", input_tokens: 10, output_tokens: 5, cost_usd: 0.5 },
        { sequence: 6, type: "tool", name: "edit", detail: "a.txt", is_done: false },
      ],
    });
    await complete({ lease_id: id, fence, ...lease });
    const { events } = await ended;
    expect(ofType(events, "log").map(({ text }) => text)).toEqual(["line 1\n", "line 2\n", "line 3\n"]);
    expect(ofType(events, "status").at(-1)).toMatchObject({ text: "thinking" });
    expect(ofType(events, "usage")).toEqual([{ type: "usage", inputTokens: 10, outputTokens: 5, costUsd: 0.5 }]);
    expect(ofType(events, "tool")).toMatchObject([{ name: "edit", isDone: false }]);
  });

  test("is told to wait when nobody reads what it sends", { tags: "long" }, async () => {
    const agentId = await addAgent("floods");
    const { run, ended } = await offer(agentId, { timeouts: unfailing });
    const { lease_id: id, fence } = await claim(agentId);
    run.cancel();
    await ended;
    // Nobody follows it any more, but it is not known to be over.
    await db.updateTable("worker_leases").set({ state: "claimed", is_cancelled: false }).where("id", "=", id).execute();
    const batch = (first: number) =>
      Array.from({ length: 500 }, (_, at) => ({ sequence: first + at, type: "status", text: "x" }));
    for (let first = 1; first <= 5_001; first += 500)
      expect((await post(`leases/${id}/events`, { fence, events: batch(first) })).statusCode).toBe(200);
    const refused = await post(`leases/${id}/events`, { fence, events: batch(5_501) });
    expect(refused.statusCode).toBe(429);
    expect(refused.headers["retry-after"]).toBe("1");
    expect((await post(`leases/${id}/events`, { fence, events: [...batch(1), ...batch(501)] })).statusCode).toBe(422);
  });

  test("is told to wait also when few large events are unread", { tags: "long" }, async () => {
    const agentId = await addAgent("floods in bytes");
    const { run, ended } = await offer(agentId, { timeouts: unfailing });
    const { lease_id: id, fence } = await claim(agentId);
    run.cancel();
    await ended;
    await db.updateTable("worker_leases").set({ state: "claimed", is_cancelled: false }).where("id", "=", id).execute();
    const events = Array.from({ length: 90 }, (_, at) => ({
      ...{ lease_id: id, sequence: at + 1 },
      event: JSON.stringify({ sequence: at + 1, type: "status", text: "x".repeat(200_000) }),
    }));
    await db.insertInto("worker_events").values(events).execute();
    const one = { fence, events: [{ sequence: 100, type: "status", text: "x" }] };
    expect((await post(`leases/${id}/events`, one)).statusCode).toBe(429);
  });

  test("hears at its next word that nobody wants the result any more", async () => {
    const agentId = await addAgent("cancelled");
    const { run, ended } = await offer(agentId);
    const { lease_id: id, fence, project_id } = await claim(agentId);
    expect((await post(`leases/${id}/heartbeat`, { fence })).json<LeaseState>()).toEqual({ is_cancelled: false });
    run.cancel();
    expect((await ended).report).toMatchObject({ is: "failed", code: "agent_cancelled" });
    expect((await post(`leases/${id}/heartbeat`, { fence })).json<LeaseState>()).toEqual({ is_cancelled: true });
    const events = [{ sequence: 1, type: "status", text: "late" }];
    expect((await post(`leases/${id}/events`, { fence, events })).json<LeaseState>()).toEqual({ is_cancelled: true });
    expect((await upload({ lease_id: id, fence, project_id }, "x")).json()).toMatchObject({ status: 409 });
    expect((await post(`leases/${id}/complete`, { fence, outcome: "done" })).json()).toMatchObject({
      status: 409,
      detail: "The task was cancelled: its result is no longer wanted.",
    });
  });

  test("that is not heard of loses it to another, and can write nothing any more", async () => {
    const agentId = await addAgent("lost");
    const timeouts = { ...hasty };
    const { ended, folder } = await offer(agentId, { timeouts });
    const lost = await claim(agentId);
    const isOffered = db.selectFrom("worker_leases").select("id").where("id", "=", lost.lease_id);
    await until(async () => (await isOffered.where("state", "=", "offered").execute()).length > 0);
    // The next one must not be lost as well, however slow this machine is.
    timeouts.heartbeatMs = unfailing.heartbeatMs;
    const next = await claim(agentId);
    expect(next).toMatchObject({ lease_id: lost.lease_id, fence: 2 });
    const { lease_id: id } = lost;
    const events = [{ sequence: 1, type: "log", stream: "stdout", text: "of the lost one\n" }];
    for (const answer of [
      await post(`leases/${id}/heartbeat`, { fence: 1 }),
      await post(`leases/${id}/events`, { fence: 1, events }),
      await upload(lost, addingPatch("lost.txt", "lost\n")),
      await post(`leases/${id}/complete`, { fence: 1, outcome: "done" }),
    ])
      expect(answer.json()).toMatchObject({
        status: 409,
        detail: "The lease is no longer yours: the task has ended, or was given to somebody else.",
      });
    expect((await complete(next, addingPatch("made.txt", "made\n"))).statusCode).toBe(204);
    const { report, events: heard } = await ended;
    expect(report).toEqual({ is: "done" });
    expect(ofType(heard, "log")).toEqual([]);
    expect(await readFile(join(folder, "made.txt"), "utf8")).toBe("made\n");
  });

  test("that gives it up has not failed: another gets it at once", async () => {
    const agentId = await addAgent("gives up");
    const { ended } = await offer(agentId);
    const first = await claim(agentId);
    expect((await complete(first, undefined, { outcome: "given_up" })).statusCode).toBe(204);
    const second = await claim(agentId);
    expect(second).toMatchObject({ lease_id: first.lease_id, fence: 2 });
    expect((await complete(first)).statusCode).toBe(409);
    await complete(second);
    expect((await ended).report).toEqual({ is: "done" });
  });

  test("is heard also where what its former holder said waits to be read", async () => {
    const agentId = await addAgent("after another");
    const first = await offer(agentId);
    const lease = await claim(agentId);
    const { lease_id: id } = lease;
    first.leases.leave();
    first.run.cancel();
    await first.ended;
    const event = (sequence: number, text: string) => ({ sequence, type: "log", stream: "stdout", text });
    await post(`leases/${id}/events`, { fence: 1, events: [event(1, "one\n"), event(2, "two\n")] });
    await complete(lease, undefined, { outcome: "given_up" });
    const next = await claim(agentId);
    await post(`leases/${id}/events`, { fence: 2, events: [event(1, "three\n"), event(2, "four\n")] });
    const second = await offer(agentId, { folder: first.folder, handle: id });
    await complete(next);
    const { events } = await second.ended;
    expect(ofType(events, "log").map(({ text }) => text)).toEqual(["one\n", "two\n", "three\n", "four\n"]);
  });

  test("names a patch that it has uploaded", async () => {
    const agentId = await addAgent("forgets");
    const { run, ended } = await offer(agentId);
    const { lease_id: id, fence } = await claim(agentId);
    const patch = `patches/${id}.patch`;
    expect((await post(`leases/${id}/complete`, { fence, outcome: "done", patch })).json()).toMatchObject({
      status: 409,
      detail: `There is no patch of this lease at '${patch}'. Upload it to '${patch}' first.`,
    });
    run.cancel();
    await ended;
  });

  test("has done it also where the store of its patch is away for a moment", async () => {
    const agentId = await addAgent("stored");
    const { folder, ended } = await offer(agentId);
    const read = vi.spyOn(blobs, "read").mockRejectedValueOnce(away);
    onTestFinished(() => read.mockRestore());
    await complete(await claim(agentId), addingPatch("new.txt", "new\n"));
    const { events, report } = await ended;
    expect(report).toEqual({ is: "done" });
    expect(read).toHaveBeenCalledTimes(2);
    expect(ofType(events, "status")).toContainEqual({ type: "status", text: away.message });
    expect(await readFile(join(folder, "new.txt"), "utf8")).toBe("new\n");
  });

  test("is offered none that was cancelled while the store of its files is away", async () => {
    const put = vi.spyOn(blobs, "put").mockRejectedValue(away);
    onTestFinished(() => put.mockRestore());
    const { run, ended } = await offer(await addAgent("unoffered"));
    run.cancel();
    const { events, report } = await ended;
    expect(report).toMatchObject({ code: "agent_cancelled" });
    expect(events).toEqual([{ type: "status", text: away.message }]);
  });

  test("ends it with its own patch only, and with none that one request could not bring", async () => {
    const agentId = await addAgent("borrows");
    const first = await offer(agentId, { taskId: "theirs", timeouts: unfailing });
    const theirs = await claim(agentId);
    expect((await upload(theirs, addingPatch("theirs.txt", "x\n"))).statusCode).toBe(201);
    const second = await offer(agentId, { taskId: "mine", timeouts: unfailing });
    const mine = await claim(agentId);
    const end = (patch: string) => post(`leases/${mine.lease_id}/complete`, { fence: 1, outcome: "done", patch });
    expect((await end(`patches/${theirs.lease_id}.patch`)).json()).toMatchObject({ status: 409 });
    const own = `patches/${mine.lease_id}.patch`;
    expect((await upload(mine, addingPatch("mine.txt", "x\n"))).statusCode).toBe(201);
    // As the project's owner could put it there in pieces: the service would hold all of it in memory.
    const size = { size_bytes: maxSingleUploadBytes + 1 };
    await db.updateTable("artifacts").set(size).where("path", "=", own).where("project_id", "=", projectId).execute();
    expect((await end(own)).json()).toMatchObject({ status: 409, detail: expect.stringContaining("at most") });
    for (const { run, ended } of [first, second]) {
      run.cancel();
      await ended;
    }
  });

  test("sends a patch that only the service reads: nobody has searched it for secrets", async () => {
    const agentId = await addAgent("quotes");
    const { folder, ended } = await offer(agentId);
    const lease = await claim(agentId);
    expect((await upload(lease, addingPatch("new.txt", "a-secret-of-dev-0815\n"))).statusCode).toBe(201);
    const url = `/api/v1/projects/${projectId}/artifacts`;
    expect((await call({ url })).body).not.toContain(lease.lease_id);
    const path = `patches/${lease.lease_id}.patch`;
    for (const called of ["patch", "patches", path, `${lease.lease_id}.patch`])
      expect((await call({ url: `${url}/${called}` })).statusCode).toBe(404);
    expect((await call({ method: "POST", url: `${url}?type=patch&path=${path}`, payload: "x" })).json()).toMatchObject({
      status: 400,
      detail: "'patches/' contains what workers send; use another path.",
    });
    await post(`leases/${lease.lease_id}/complete`, { fence: lease.fence, outcome: "done", patch: path });
    expect((await ended).report).toEqual({ is: "done" });
    expect(await readFile(join(folder, "new.txt"), "utf8")).toBe("a-secret-of-dev-0815\n");
    expect((await call({ url })).body).not.toContain(lease.lease_id);
  });

  test("may say twice that it is done", async () => {
    const agentId = await addAgent("twice");
    const { ended } = await offer(agentId);
    const lease = await claim(agentId);
    expect((await complete(lease)).statusCode).toBe(204);
    await ended;
    expect((await complete(lease)).statusCode).toBe(204);
  });

  test("that fails is heard with its reason", async () => {
    const agentId = await addAgent("fails");
    const { ended } = await offer(agentId);
    const lease = await claim(agentId);
    await complete(lease, undefined, { outcome: "failed", message: "No disk." });
    expect((await ended).report).toEqual({ is: "failed", code: "agent_failed", message: "No disk." });
    // It may hold a secret, which is masked after it was read.
    const ofLease = db.selectFrom("worker_leases").select("report").where("id", "=", lease.lease_id);
    expect(await ofLease.executeTakeFirst()).toEqual({ report: null });
  });

  test("as a planner brings a breakdown, in its word or as a file", async () => {
    const agentId = await addAgent("plans");
    for (const [patch, more] of [
      [undefined, { breakdown: "tasks: []\n" }],
      [addingPatch(breakdownPath, "tasks: []\n"), {}],
    ] as const) {
      const { ended } = await offer(agentId, { role: "planner" });
      await complete(await claim(agentId), patch, more);
      expect((await ended).report).toEqual({ is: "done", breakdown: "tasks: []\n" });
    }
  });

  test("is nobody else's to see or to change", async () => {
    const agentId = await addAgent("private");
    const { run, ended } = await offer(agentId);
    const { lease_id: id, fence, source_url } = await claim(agentId);
    for (const token of [other.token, app.adminToken]) {
      expect((await post(`leases/${id}/heartbeat`, { fence }, token)).statusCode).toBe(404);
      expect((await post(`leases/${id}/complete`, { fence, outcome: "done" }, token)).statusCode).toBe(404);
      expect((await call({ url: source_url, token })).statusCode).toBe(404);
    }
    expect((await post("leases/lease_none/heartbeat", { fence })).statusCode).toBe(404);
    run.cancel();
    await ended;
  });

  test("whom nobody takes over for fails the attempt", { tags: "long" }, async () => {
    const agentId = await addAgent("absent");
    const { ended } = await offer(agentId, { timeouts: { claimMs: 200, heartbeatMs: 200 } });
    expect((await ended).report).toEqual({
      is: "failed",
      code: "agent_lost",
      message: `No worker of agent ${agentId} took the task within 0 seconds.`,
    });
  });
});

describe("when the service restarts", () => {
  test("a worker goes on, and its result counts", async () => {
    const agentId = await addAgent("outlives");
    const first = await offer(agentId);
    const lease = await claim(agentId);
    first.leases.leave();
    first.run.cancel();
    await first.ended;
    const second = await offer(agentId, { folder: first.folder });
    expect((await post(`leases/${lease.lease_id}/heartbeat`, { fence: 1 })).json()).toEqual({ is_cancelled: false });
    await until(() => second.host.handles.includes(lease.lease_id));
    await complete(lease, addingPatch("made.txt", "made\n"));
    expect((await second.ended).report).toEqual({ is: "done" });
  });

  test("a process that lost the attempt cannot end the lease of its successor", async () => {
    const agentId = await addAgent("succeeded");
    const first = await offer(agentId);
    const lease = await claim(agentId);
    const second = await offer(agentId, { folder: first.folder, handle: lease.lease_id });
    await until(() => second.host.handles.includes(lease.lease_id));
    first.run.cancel();
    await first.ended;
    await complete(lease, addingPatch("made.txt", "made\n"));
    expect((await second.ended).report).toEqual({ is: "done" });
  });

  test("a task that is cancelled while the store is away is taken away from who was at it before", async () => {
    const agentId = await addAgent("left");
    const first = await offer(agentId);
    const lease = await claim(agentId);
    first.leases.leave();
    first.run.cancel();
    await first.ended;
    const put = vi.spyOn(blobs, "put").mockRejectedValue(away);
    onTestFinished(() => put.mockRestore());
    // As after a crash before the handle was saved.
    const second = await offer(agentId, { folder: first.folder });
    await until(() => put.mock.calls.length > 0);
    second.run.cancel();
    expect((await second.ended).report).toMatchObject({ code: "agent_cancelled" });
    expect((await post(`leases/${lease.lease_id}/heartbeat`, { fence: 1 })).json()).toEqual({ is_cancelled: true });
  });

  test("a task that begins anew is taken away from who was at it before", async () => {
    const agentId = await addAgent("anew");
    const first = await offer(agentId);
    const lease = await claim(agentId);
    // Other files than before: what the first one makes would not fit.
    const second = await offer(agentId, { files: { "other.txt": "other\n" } });
    expect((await first.ended).report).toMatchObject({ code: "agent_cancelled" });
    expect((await post(`leases/${lease.lease_id}/heartbeat`, { fence: 1 })).json()).toEqual({ is_cancelled: true });
    expect(await claim(agentId)).not.toMatchObject({ lease_id: lease.lease_id });
    second.run.cancel();
    await second.ended;
  });
});

describe("an upload", () => {
  const bytes = { "content-type": "text/markdown" };
  const send = (query: string, payload: string | Buffer, token = app.adminToken) =>
    call({ method: "POST", url: `/api/v1/projects/${projectId}/artifacts?${query}`, headers: bytes, payload, token });

  test("becomes an artifact of the project", async () => {
    const answer = await send("type=documentation&path=docs/guide.md", "# Guide\n");
    expect(answer.statusCode).toBe(201);
    expect(answer.json()).toMatchObject({ type: "documentation", path: "docs/guide.md", size_bytes: 8 });
    const { artifacts } = (await call({ url: `/api/v1/projects/${projectId}/artifacts` })).json<{
      artifacts: object[];
    }>();
    expect(artifacts).toContainEqual(expect.objectContaining({ path: "docs/guide.md", size_bytes: 8 }));
  });

  test("of any media type is taken as it is", async () => {
    for (const type of ["application/json", "application/yaml", "application/octet-stream", "image/png"]) {
      const answer = await call({
        method: "POST",
        url: `/api/v1/projects/${projectId}/artifacts?type=documentation&path=any`,
        headers: { "content-type": type },
        payload: "{",
      });
      expect(answer.json()).toMatchObject({ size_bytes: 1 });
    }
  });

  test("is refused where its path leads elsewhere", async () => {
    for (const path of ["/etc/passwd", "../x", "a/../b", "a//b", ".", "a\\b", "a\nb", "", "x".repeat(1_001)])
      expect((await send(`type=documentation&path=${encodeURIComponent(path)}`, "x")).statusCode).toBe(400);
    expect((await send("type=Not%20a%20type&path=a", "x")).statusCode).toBe(400);
    expect((await send("path=a", "x")).statusCode).toBe(400);
  });

  test("is refused when it is too large, and the reason is heard", { tags: "long" }, async () => {
    const url = `${await listening()}/api/v1/projects/${projectId}/artifacts?type=documentation&path=large`;
    const headers = { authorization: `Bearer ${app.adminToken}`, "content-type": "application/octet-stream" };
    const megabyte = Buffer.alloc(1024 * 1024);
    const announced = await fetch(url, { method: "POST", headers, body: Buffer.alloc(64 * 1024 * 1024 + 1) });
    expect([announced.status, await announced.json()]).toMatchObject([413, { code: "too_large" }]);
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(megabyte),
    });
    const endless = await fetch(url, { method: "POST", headers, body, duplex: "half" } as RequestInit).catch(
      (error: Error) => error,
    );
    // Some clients give up when they are answered before they have said everything.
    if (endless instanceof Response) expect(endless.status).toBe(413);
    const { artifacts } = (await call({ url: `/api/v1/projects/${projectId}/artifacts` })).json<{
      artifacts: { path: string }[];
    }>();
    expect(artifacts.map(({ path }) => path)).not.toContain("large");
  });

  test("needs who may manage the project, or a worker's lease for its patch", async () => {
    const agentId = await addAgent("uploads");
    const { run, ended } = await offer(agentId);
    const { lease_id: id, fence } = await claim(agentId);
    const patch = `type=patch&path=patches/${id}.patch&lease_id=${id}`;
    // The worker's owner does not own the project.
    expect((await send("type=documentation&path=a", "x", owner.token)).statusCode).toBe(404);
    expect((await send(`${patch}&fence=${fence}`, "x", owner.token)).statusCode).toBe(201);
    expect((await send(patch, "x", owner.token)).statusCode).toBe(400);
    expect((await send(`${patch}&fence=${fence + 1}`, "x", owner.token)).statusCode).toBe(409);
    expect((await send(`${patch}&fence=${fence}`, "x", other.token)).statusCode).toBe(404);
    const elsewhere = `type=documentation&path=a&lease_id=${id}&fence=${fence}`;
    expect((await send(elsewhere, "x", owner.token)).statusCode).toBe(400);
    const { key: worker } = await app.apiKey(["agents:work"], owner.token);
    const { key: manager } = await app.apiKey(["projects:manage"]);
    expect((await send(`${patch}&fence=${fence}`, "x", worker)).statusCode).toBe(201);
    expect((await send("type=documentation&path=a", "x", worker)).statusCode).toBe(403);
    expect((await send("type=documentation&path=a", "x", manager)).statusCode).toBe(201);
    expect((await send(`${patch}&fence=${fence}`, "x", manager)).statusCode).toBe(403);
    run.cancel();
    await ended;
  });
});

async function* chunks(bytes: Buffer): AsyncGenerator<Buffer> {
  // Cut anywhere.
  for (let at = 0; at < bytes.length; at += 700) yield bytes.subarray(at, at + 700);
}

function leasesOf(agentId: string) {
  return db
    .selectFrom("worker_leases")
    .select(["id", "task_id"])
    .where("agent_id", "=", agentId)
    .orderBy("created_at")
    .execute();
}

async function unread(leaseId: string): Promise<number> {
  return (await db.selectFrom("worker_events").select("sequence").where("lease_id", "=", leaseId).execute()).length;
}

/** Where the service can be reached by real requests. */
async function listening(): Promise<string> {
  if (!app.http.server.listening) await app.http.listen({ host: "127.0.0.1", port: 0 });
  return `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`;
}

async function isThere(agentId: string): Promise<void> {
  await until(() => db.selectFrom("agent_presence").select("node").where("agent_id", "=", agentId).executeTakeFirst());
}
