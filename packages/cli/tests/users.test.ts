import { describe, expect, test } from "vitest";
import { FakeService, problem } from "./fake-service.ts";
import { slipway } from "./run-slipway.ts";

const userId = "usr_01kaw3v9t2h5m8q1x7zc";
const path = `/api/v1/users/${userId}`;
const at = "2026-11-15T09:30:00.000Z";
const user = { user_id: userId, name: "ada@example.com", role: "svc:user", kind: "person", created_at: at };
const nothing = () => ({ status: 204, body: null });

async function listen(): Promise<FakeService> {
  const service = await new FakeService().listen();
  return service.answer("GET /api/v1/users", { users: [user], next_cursor: null });
}

describe("slipway users", () => {
  test("list shows a table, and as JSON what the API answers", async () => {
    const service = await listen();
    const { code, out } = await slipway(["users", "list"], { env: service.env });
    expect(code).toBe(0);
    expect(out).toBe(`ID                        NAME             ROLE      CREATED
${userId}  ada@example.com  svc:user  ${at}
`);
    const { out: json } = await slipway(["users", "list", "--json"], { env: service.env });
    expect(JSON.parse(json)).toEqual({ users: [user], next_cursor: null });
  });

  test("create, set-role, issue-tokens, end-tokens and remove send what was asked, and find a user by name", async () => {
    const service = await listen();
    const tokens = {
      user_id: userId,
      token: "spec_ut_1",
      expires_at: at,
      refresh_token: "spec_rt_1",
      refresh_expires_at: at,
    };
    service.answer("POST /api/v1/users", () => ({ status: 201, body: user }));
    service.answer(`PATCH ${path}`, { ...user, role: "svc:readonly" });
    service.answer(`POST ${path}/tokens`, () => ({ status: 201, body: tokens }));
    service.answer(`DELETE ${path}/tokens`, nothing);
    service.answer(`DELETE ${path}`, nothing);
    const outs: string[] = [];
    for (const args of [
      ["create", "ada@example.com", "--role", "svc:user"],
      ["set-role", "ada@example.com", "--role", "svc:readonly"],
      ["issue-tokens", userId],
      ["end-tokens", "ada@example.com"],
      ["remove", "ada@example.com"],
    ])
      outs.push((await slipway(["users", ...args], { env: service.env })).out);
    expect(outs).toEqual([
      `ada@example.com is created (${userId}, svc:user)\n`,
      "ada@example.com is svc:readonly now\n",
      `The tokens, shown only once:\ntoken          spec_ut_1  (until ${at})\nrefresh token  spec_rt_1  (until ${at})\n`,
      `all tokens and API keys of ${userId} have ended\n`,
      `${userId} is removed\n`,
    ]);
    const changes = service.asked.filter(({ method }) => method !== "GET");
    expect(changes.map(({ method, url, body }) => [method, url, body])).toEqual([
      ["POST", "/api/v1/users", JSON.stringify({ name: "ada@example.com", role: "svc:user" })],
      ["PATCH", path, JSON.stringify({ role: "svc:readonly" })],
      ["POST", `${path}/tokens`, ""],
      ["DELETE", `${path}/tokens`, ""],
      ["DELETE", path, ""],
    ]);
  });

  test("restore finds a user among those who were removed, whom list --removed shows", async () => {
    const service = await listen();
    service.answer(`POST ${path}/restore`, user);
    const { out } = await slipway(["users", "restore", "ada@example.com"], { env: service.env });
    expect(out).toBe("ada@example.com may come in again (svc:user)\n");
    await slipway(["users", "list", "--removed"], { env: service.env });
    expect(service.asked.filter(({ method }) => method === "GET").map(({ url }) => url)).toEqual([
      ...Array(2).fill(expect.stringContaining("removed=true")),
    ]);
  });

  test("a refusal is told, and a user who does not exist is 4", async () => {
    const service = await listen();
    const detail = "ada@example.com is the last administrator. Make another user svc:admin first.";
    service.answer(`DELETE ${path}`, () => ({ status: 409, body: problem(409, "conflict", detail) }));
    const refused = await slipway(["users", "remove", userId], { env: service.env });
    expect([refused.code, refused.err]).toEqual([3, expect.stringContaining(detail)]);
    const missing = await slipway(["users", "remove", "bob"], { env: service.env });
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining("there is no user 'bob'")]);
    expect((await slipway(["users", "remove"], { env: service.env })).code).toBe(2);
  });
});
