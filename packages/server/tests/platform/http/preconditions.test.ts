import { beforeAll, describe, expect, test } from "vitest";
import { createProject, createTestApp } from "../../support/test-app.ts";

const app = await createTestApp({ allowLocalWebhooks: true });
const { call } = app;

let [webhook, project, agent] = ["", "", ""];
beforeAll(async () => {
  const payload = { url: "http://127.0.0.1:9/hook", events: ["*"], secret: "a secret of sixteen" };
  const made = await call({ method: "POST", url: "/api/v1/webhooks", payload });
  webhook = `/api/v1/webhooks/${made.json<{ webhook_id: string }>().webhook_id}`;
  project = `/api/v1/projects/${await createProject(app)}`;
  const registered = await call({ method: "POST", url: "/api/v1/agents", payload: { name: "w", kind: "worker" } });
  agent = `/api/v1/agents/${registered.json<{ agent_id: string }>().agent_id}`;
});

const etagOf = async (url: string) => String((await call({ url })).headers.etag);
const change = (method: "PATCH" | "POST" | "PUT" | "DELETE", url: string, match: string, payload?: object) =>
  call({ method, url, headers: { "if-match": match }, ...(payload && { payload }) });

describe("an ETag", () => {
  test.for(["webhook", "agent", "agent status", "tasks", "webhooks", "agents", "approvals", "checkpoints"])(
    "is on the read of: %s",
    async (what) => {
      const urls: Record<string, string> = {
        ...{ webhook, agent, "agent status": `${agent}/status`, tasks: `${project}/tasks` },
        ...{ approvals: `${project}/approvals`, checkpoints: `${project}/checkpoints` },
      };
      const url = urls[what] ?? `/api/v1/${what}`;
      const etag = await etagOf(url);
      expect(etag).toMatch(/^"[\w-]{20,}"$/);
      const again = await call({ url, headers: { "if-none-match": etag } });
      expect([again.statusCode, again.payload]).toEqual([304, ""]);
    },
  );

  test("is another after a change", async () => {
    const before = await etagOf(webhook);
    await call({ method: "PATCH", url: webhook, payload: { description: "changed" } });
    expect(await etagOf(webhook)).not.toBe(before);
  });
});

describe("If-Match", () => {
  test("lets a change through while the resource is as it was read", async () => {
    const etag = await etagOf(webhook);
    expect((await change("PATCH", webhook, etag, { description: "mine" })).statusCode).toBe(200);
    const late = await change("PATCH", webhook, etag, { description: "late" });
    expect(late.json()).toMatchObject({
      ...{ status: 412, code: "precondition_failed" },
      detail: `${webhook} has changed since you read it. Read it again.`,
    });
    expect((await call({ url: webhook })).json()).toMatchObject({ description: "mine" });
    for (const match of ["*", `"other", ${await etagOf(webhook)}`])
      expect((await change("PATCH", webhook, match, { description: "mine" })).statusCode).toBe(200);
    // A weak tag says nothing of the bytes.
    expect((await change("PATCH", webhook, `W/${await etagOf(webhook)}`, {})).statusCode).toBe(412);
  });

  test("of many changes at once lets one through", async () => {
    const etag = await etagOf(webhook);
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => change("PATCH", webhook, etag, { description: `one of many ${at}` })),
    );
    const statuses = answers.map(({ statusCode }) => statusCode).toSorted();
    expect(statuses).toEqual([200, ...Array.from({ length: 29 }, () => 412)]);
  });

  test("guards commands by the version of their project", async () => {
    const etag = await etagOf(project);
    expect((await change("POST", `${project}/pause`, '"0"')).statusCode).toBe(412);
    expect((await change("POST", `${project}/pause`, etag)).statusCode).not.toBe(412);
    expect((await change("PUT", `${project}/agents/implementer`, '"0"', { agent_id: "x" })).statusCode).toBe(412);
  });

  test("of a path without an ETag is refused, and what is not there stays 404", async () => {
    const refused = await change("POST", "/api/v1/specs/validate", "*");
    expect(refused.json()).toMatchObject({ status: 415 });
    const keys = await change("POST", "/api/v1/auth/api-keys", "*", { name: "ci", scopes: ["projects:read"] });
    expect(keys.json()).toMatchObject({ status: 412, detail: expect.stringContaining("has no ETag") });
    expect((await change("DELETE", "/api/v1/webhooks/wh_none", "*")).statusCode).toBe(404);
  });

  test("comes after the answer that is kept for repeats", async () => {
    const headers = { "if-match": await etagOf(webhook), "idempotency-key": "rotate-once" };
    const rotate = () => call({ method: "POST", url: `${webhook}/rotate-secret`, headers, payload: {} });
    expect((await rotate()).statusCode).toBe(200);
    expect((await rotate()).headers["idempotency-replayed"]).toBe("true");
  });

  test("deletes only what was seen", async () => {
    const etag = await etagOf(webhook);
    await call({ method: "PATCH", url: webhook, payload: { description: "later" } });
    expect((await change("DELETE", webhook, etag)).statusCode).toBe(412);
    expect((await change("DELETE", webhook, await etagOf(webhook))).statusCode).toBe(204);
  });
});
