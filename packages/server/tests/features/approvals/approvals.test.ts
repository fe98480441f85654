// @module-tag soak
import type { Role } from "@slipway/contract";
import { sql } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import {
  approvalsOf,
  command,
  decide,
  eventsOf,
  readProject,
  refusalOf,
  untilAsked,
  untilEnded,
  untilProject,
} from "../../support/engine/follow.ts";
import { createStage } from "../../support/engine/stage.ts";

const { app, play } = await createStage();
const { call, db } = app;

const gated = { guardrails: { deployment: { human_approval_required: ["production_deploy"] } } };
const approve = { decision: "approve" };

async function newUser(name: string, role: Role = "svc:user"): Promise<string> {
  const user = (await call({ method: "POST", url: "/api/v1/users", payload: { name, role } })).json<{
    user_id: string;
  }>();
  const tokens = await call({ method: "POST", url: `/api/v1/users/${user.user_id}/tokens` });
  return tokens.json<{ token: string }>().token;
}

// First, while the administrator is still alone.
test("who is the only person approves what they have submitted themselves, also beside a service account", {
  tags: "long",
}, async () => {
  const account = { name: "pipeline", role: "svc:user" };
  const made = await app.call({ method: "POST", url: "/api/v1/service-accounts", payload: account });
  expect(made.statusCode, made.body).toBe(201);
  const id = await play(gated);
  const answer = await decide(app, await untilAsked(app, id), approve);
  expect(answer.json()).toMatchObject({ status: "approved", decided_by: "admin", decided_at: expect.any(String) });
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
});

describe("with several users", () => {
  let [owner, dana, stranger, reader] = ["", "", "", ""];
  beforeAll(async () => {
    owner = await newUser("owner");
    dana = await newUser("dana");
    stranger = await newUser("stranger");
    reader = await newUser("reader", "svc:readonly");
  });
  const submitted = (parts: object, query = "") => play(parts, undefined, { query, token: owner });

  describe("a deployment waits for a person", () => {
    const environments = (block: object) => ({ environments: { staging: {}, production: block } });
    const required = (what: unknown, block = {}) => ({
      ...environments(block),
      guardrails: { deployment: { human_approval_required: what } },
    });
    const inBlock = (what: boolean) => environments({ guardrails: { deployment: { human_approval_required: what } } });

    const cases: readonly [string, parts: object, environment: string, isAsked: boolean][] = [
      ["its environment is named", required(["production"]), "production", true],
      ["another environment is named", required(["production"]), "staging", false],
      ["its environment requires approval", environments({ requires_approval: true }), "production", true],
      ["an environment is named and it is for none", required(["production"]), "", false],
      ["what is named is no environment", required(["production_deploy"]), "staging", true],
      ["what is named is no environment, and it is for none", required(["production_deploy"]), "", true],
      ["nothing is named", required([]), "production", false],
      ["its environment says true", inBlock(true), "production", true],
      ["its environment says false", inBlock(false), "production", false],
      ["another environment requires approval", environments({ requires_approval: true }), "staging", false],
      ["its environment has approvers", environments({ approvers: ["dana"] }), "production", true],
    ];

    test.each(soakCases(cases, 2))("or not: %s", async (_, parts, environment, isAsked) => {
      const id = await submitted(parts, environment && `?environment=${environment}`);
      const { status } = await untilProject(
        app,
        id,
        (project) => project.waiting_for === "approval" || project.status === "deployed" || project.status === "failed",
      );
      expect(status).toBe(isAsked ? "deployment" : "deployed");
      if (isAsked) expect(await approvalsOf(app, id)).toMatchObject([{ gate: "deployment", environment }]);
    });
  });

  test("what is asked is told: to the project's readers, in the list and as an event", async () => {
    const id = await submitted(
      { environments: { production: { approvers: ["dana", "erin"] } } },
      "?environment=production",
    );
    const approval = await untilAsked(app, id);
    const deadline = new Date(Date.parse(approval.created_at) + 7 * 24 * 3_600_000).toISOString();
    expect(approval).toEqual({
      approval_id: expect.stringMatching(/^appr_/),
      project_id: id,
      gate: "deployment",
      phase: "deployment",
      environment: "production",
      approvers: ["dana", "erin"],
      task_id: null,
      agent_id: null,
      question: null,
      status: "pending",
      created_at: expect.any(String),
      deadline,
      decided_at: null,
      decided_by: null,
      comment: null,
      lines: [],
    });
    expect((await eventsOf(app, id)).at(-1)).toMatchObject({
      event: "project.approval_required",
      data: {
        approval_id: approval.approval_id,
        phase: "deployment",
        environment: "production",
        approvers: ["dana", "erin"],
        deadline,
      },
    });
    expect(await readProject(app, id)).toMatchObject({ status: "deployment", waiting_for: "approval" });
  });

  test("only who is named decides: others who see it get 403, those who do not get 404", async () => {
    const others = Array.from({ length: 11 }, (_, at) => `person-${at}`);
    const approvers = ["dana", ...others];
    const id = await submitted({ environments: { production: { approvers } } }, "?environment=production");
    const approval = await untilAsked(app, id);
    const told = `Only dana, ${others.slice(0, 9).join(", ")} and 2 more may decide this.`;
    expect(refusalOf(await decide(app, approval, approve))).toEqual([403, told]);
    expect(refusalOf(await decide(app, approval, approve, owner))).toEqual([403, told]);
    expect((await decide(app, approval, approve, stranger)).statusCode).toBe(404);
    expect((await decide(app, approval, approve, reader)).statusCode).toBe(403);
    expect((await decide(app, { ...approval, approval_id: "appr_none" }, approve, dana)).statusCode).toBe(404);
    expect(await approvalsOf(app, id)).toMatchObject([{ status: "pending" }]);
    expect((await decide(app, approval, { ...approve, comment: "Go." }, dana)).json()).toMatchObject({
      status: "approved",
      decided_by: "dana",
      comment: "Go.",
    });
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });

  test("where nobody is named, administrators decide", async () => {
    const id = await submitted(gated);
    const approval = await untilAsked(app, id);
    expect(refusalOf(await decide(app, approval, approve, owner))).toEqual([
      403,
      "Only administrators may decide this.",
    ]);
    expect((await decide(app, approval, approve)).statusCode).toBe(200);
  });

  test("who submitted a project cannot approve it, even when named or an administrator", async () => {
    const named = await submitted({ environments: { live: { approvers: ["owner"] } } }, "?environment=live");
    const told = "Who submitted a project cannot approve it.";
    expect(refusalOf(await decide(app, await untilAsked(app, named), approve, owner))).toEqual([403, told]);
    const own = await play(gated);
    expect(refusalOf(await decide(app, await untilAsked(app, own), approve))).toEqual([403, told]);
  });

  test("a named approver may read that project, and nothing else of its owner", async () => {
    const id = await submitted({ environments: { production: { approvers: ["dana"] } } }, "?environment=production");
    const other = await submitted({});
    await untilAsked(app, id);
    const parts = ["", "/spec", "/events", "/phases", "/tasks", "/checkpoints", "/approvals", "/artifacts", "/plan"];
    for (const part of parts) {
      const see = async (project: string, token: string) =>
        (await call({ url: `/api/v1/projects/${project}${part}`, token })).statusCode;
      expect([part, await see(id, dana), await see(other, dana), await see(id, stranger)]).toEqual([
        part,
        200,
        404,
        404,
      ]);
    }
    expect((await call({ url: `/v1/projects/${id}/status`, token: dana })).statusCode).toBe(200);
    for (const name of ["cancel", "pause"]) {
      const url = `/api/v1/projects/${id}/${name}`;
      expect((await call({ method: "POST", url, token: dana })).statusCode).toBe(404);
    }
    const { etag } = (await call({ url: `/api/v1/projects/${id}`, token: dana })).headers;
    const again = { url: `/api/v1/projects/${id}`, token: dana, headers: { "if-none-match": String(etag) } };
    expect((await call(again)).statusCode).toBe(304);
  });

  test("a key needs the scope to decide", async () => {
    const id = await submitted({ environments: { production: { approvers: ["dana"] } } }, "?environment=production");
    const approval = await untilAsked(app, id);
    const reads = await app.apiKey(["projects:read"], dana);
    expect((await decide(app, approval, approve, reads.key)).statusCode).toBe(403);
    const decides = await app.apiKey(["approvals:decide"], dana);
    expect((await decide(app, approval, approve, decides.key)).json()).toMatchObject({ decided_by: "dana" });
  });

  test("denied, a project fails and says why", async () => {
    const id = await submitted(gated);
    await decide(app, await untilAsked(app, id), { decision: "deny", comment: "Not on a Friday." });
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      current_phase: "deployment",
      waiting_for: null,
      error: { code: "approval_denied", message: "Not on a Friday.", phase: "deployment" },
    });
    const silent = await submitted(gated);
    await decide(app, await untilAsked(app, silent), { decision: "deny" });
    expect((await untilEnded(app, silent)).error?.message).toBe("admin denied it.");
  });

  test("nothing is decided twice", async () => {
    const id = await submitted(gated);
    const approval = await untilAsked(app, id);
    const answers = await Promise.all([
      decide(app, approval, { decision: "deny" }),
      decide(app, approval, approve),
      decide(app, approval, approve),
    ]);
    const statuses = answers.map(({ statusCode }) => statusCode);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    const { status } = (await approvalsOf(app, id))[0]!;
    expect(refusalOf(await decide(app, approval, approve))).toEqual([409, `This is ${status} already.`]);
    expect(await untilEnded(app, id)).toMatchObject({ status: status === "approved" ? "deployed" : "failed" });
  });

  test("a decision that is repeated with its Idempotency-Key gets the first answer", async () => {
    const id = await submitted(gated);
    const { approval_id } = await untilAsked(app, id);
    const send = () =>
      call({
        method: "POST",
        url: `/api/v1/approvals/${approval_id}`,
        headers: { "idempotency-key": "decide-once" },
        payload: approve,
      });
    const [first, second] = [await send(), await send()];
    expect([first.statusCode, second.statusCode, second.json()]).toEqual([200, 200, first.json()]);
    expect(second.headers["idempotency-replayed"]).toBe("true");
  });

  test("what nobody decides in time is denied", async () => {
    const id = await submitted(gated);
    const approval = await untilAsked(app, id);
    await sql`update jobs set available_at = now() where group_id = ${id} and kind = 'deadline'`.execute(db);
    expect(await untilEnded(app, id)).toMatchObject({
      status: "failed",
      error: { code: "approval_denied", message: "Nobody approved it in time.", phase: "deployment" },
    });
    expect(await approvalsOf(app, id)).toMatchObject([{ status: "expired", decided_by: null }]);
    expect(refusalOf(await decide(app, approval, approve))).toEqual([409, "This is expired already."]);
  });

  test("a cancelled project asks no more", async () => {
    const id = await submitted(gated);
    const approval = await untilAsked(app, id);
    await command(app, id, "cancel");
    expect(await approvalsOf(app, id)).toMatchObject([{ status: "withdrawn", decided_by: null }]);
    expect(refusalOf(await decide(app, approval, approve))).toEqual([409, "This is withdrawn already."]);
    expect(await readProject(app, id)).toMatchObject({ status: "failed", error: { code: "cancelled" } });
    const { rows } = await sql`select 1 from jobs where group_id = ${id}`.execute(db);
    expect(rows).toEqual([]);
  });

  test("a restarted project asks anew, and the old question no longer counts", async () => {
    const id = await submitted(gated);
    const old = await untilAsked(app, id);
    await command(app, id, "restart", { from_phase: "validation" });
    const fresh = await untilAsked(app, id);
    expect(fresh.approval_id).not.toBe(old.approval_id);
    expect((await approvalsOf(app, id)).map(({ status }) => status)).toEqual(["pending", "withdrawn"]);
    expect((await decide(app, old, approve)).statusCode).toBe(409);
    expect((await decide(app, fresh, approve)).statusCode).toBe(200);
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
    await command(app, id, "restart", { from_phase: "deployment" });
    await untilAsked(app, id);
    expect((await approvalsOf(app, id)).map(({ status }) => status)).toEqual(["pending", "approved", "withdrawn"]);
  });

  test("approved while paused, a project goes on when it is resumed", async () => {
    const id = await submitted(gated);
    const approval = await untilAsked(app, id);
    expect((await command(app, id, "pause")).json()).toMatchObject({ waiting_for: "paused" });
    expect((await decide(app, approval, approve)).statusCode).toBe(200);
    expect(await readProject(app, id)).toMatchObject({ status: "deployment", waiting_for: "paused" });
    await command(app, id, "resume");
    expect(await untilEnded(app, id)).toMatchObject({ status: "deployed" });
  });

  test("approvals are listed newest first, page by page", async () => {
    const id = await submitted(gated);
    await untilAsked(app, id);
    for (let round = 0; round < 2; round += 1) {
      await command(app, id, "restart", { from_phase: "deployment" });
      await untilAsked(app, id);
    }
    const all = await approvalsOf(app, id);
    expect(all.map(({ status }) => status)).toEqual(["pending", "withdrawn", "withdrawn"]);
    const page = await call({ url: `/api/v1/projects/${id}/approvals?limit=2` });
    expect(page.json()).toMatchObject({ approvals: all.slice(0, 2) });
    const { next_cursor } = page.json<{ next_cursor: string }>();
    expect((await call({ url: `/api/v1/projects/${id}/approvals?limit=2&cursor=${next_cursor}` })).json()).toEqual({
      approvals: all.slice(2),
      next_cursor: null,
    });
  });

  test.each(
    soakCases([{}, { decision: "maybe" }, { decision: "approve", by: "me" }, { decision: "approve", comment: 1 }]),
  )("a decision that says nothing clear is refused: %j", async (payload) => {
    const id = await submitted(gated);
    expect((await decide(app, await untilAsked(app, id), payload)).statusCode).toBe(422);
  });
});
