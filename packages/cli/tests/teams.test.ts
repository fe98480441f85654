import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FakeService } from "./fake-service.ts";
import { slipway } from "./run-slipway.ts";

const teamId = "team_01kaw3v9t2h5m8q1x7zc";
const userId = "usr_01kaw3v9t2h5m8q1x7zc";
const appId = "app_01kaw3v9t2h5m8q1x7zc";
const at = "2026-11-15T09:30:00.000Z";
const team = { team_id: teamId, name: "storefront", members: 1, created_at: at };
const user = { user_id: userId, name: "ada@example.com", role: "svc:user", kind: "person", created_at: at };
const account = { user_id: userId, name: "pipeline", role: "svc:user", team_id: teamId, created_at: at };
const nothing = () => ({ status: 204, body: null });

async function listen(): Promise<FakeService> {
  const service = await new FakeService().listen();
  service.answer("GET /api/v1/teams", { teams: [team], next_cursor: null });
  service.answer("GET /api/v1/users", { users: [user], next_cursor: null });
  service.answer("GET /api/v1/service-accounts", { service_accounts: [account], next_cursor: null });
  return service;
}

const changesOf = ({ asked }: FakeService) =>
  asked.filter(({ method }) => method !== "GET").map(({ method, url, body }) => [method, url, body]);

describe("slipway teams", () => {
  test("list and show tell of teams and their members", async () => {
    const service = await listen();
    const member = { user_id: userId, name: "ada@example.com", provider: "sso", added_at: at };
    service.answer(`GET /api/v1/teams/${teamId}`, { ...team, member_list: [member] });
    const { out } = await slipway(["teams", "list"], { env: service.env });
    expect(out).toBe(`ID                         NAME        MEMBERS  CREATED
${teamId}  storefront  1        ${at}
`);
    const shown = await slipway(["teams", "show", "storefront"], { env: service.env });
    expect(shown.out).toContain(`ada@example.com (${userId}, by sso)`);
    const missing = await slipway(["teams", "show", "none"], { env: service.env });
    expect([missing.code, missing.err]).toEqual([4, expect.stringContaining("there is no team 'none'")]);
  });

  test("create, add, remove and delete send what was asked", async () => {
    const service = await listen();
    const path = `/api/v1/teams/${teamId}`;
    service.answer("POST /api/v1/teams", () => ({ status: 201, body: team }));
    service.answer(`PUT ${path}/members/${userId}`, nothing);
    service.answer(`DELETE ${path}/members/${userId}`, nothing);
    service.answer(`DELETE ${path}`, nothing);
    for (const args of [
      ["create", "storefront"],
      ["add", "storefront", "ada@example.com"],
      ["remove", teamId, userId],
      ["delete", "storefront"],
    ])
      expect((await slipway(["teams", ...args], { env: service.env })).code).toBe(0);
    expect(changesOf(service)).toEqual([
      ["POST", "/api/v1/teams", JSON.stringify({ name: "storefront" })],
      ["PUT", `${path}/members/${userId}`, ""],
      ["DELETE", `${path}/members/${userId}`, ""],
      ["DELETE", path, ""],
    ]);
  });

  test("apps share names the team, or nobody, and nothing without either", async () => {
    const service = await listen();
    const application = { application_id: appId, document_id: "shop", team_id: teamId };
    service.answer(`PUT /api/v1/applications/${appId}/team`, application);
    const share = (...args: string[]) => slipway(["apps", "share", appId, ...args], { env: service.env });
    expect((await share("--team", "storefront")).out).toBe("shop is shared with the team storefront\n");
    expect((await share("--nobody")).out).toBe("shop is shared with nobody\n");
    expect((await share()).code).toBe(2);
    expect(changesOf(service).map(([, , body]) => body)).toEqual(['{"team":"storefront"}', '{"team":null}']);
  });
});

test("slipway service-accounts creates accounts and keys, prints a key alone, and removes only accounts", async () => {
  const service = await listen();
  const key = { api_key_id: "ak_1", api_key: "spec_sk_1", scopes: ["projects:read"], created_at: at, expires_at: at };
  service.answer("POST /api/v1/service-accounts", () => ({ status: 201, body: account }));
  service.answer(`POST /api/v1/service-accounts/${userId}/api-keys`, () => ({ status: 201, body: key }));
  service.answer(`DELETE /api/v1/users/${userId}`, nothing);
  const run = (...args: string[]) => slipway(["service-accounts", ...args], { env: service.env });
  await run("create", "pipeline", "--role", "svc:user", "--team", "storefront");
  const made = await run("create-key", "pipeline", "ci", "--scopes", "projects:read");
  expect([made.out, made.err]).toEqual(["spec_sk_1\n", expect.stringContaining("shown only once")]);
  expect((await run("delete", "ada@example.com")).code).toBe(4);
  expect((await run("delete", "pipeline")).code).toBe(0);
  expect(changesOf(service)).toEqual([
    ["POST", "/api/v1/service-accounts", JSON.stringify({ name: "pipeline", role: "svc:user", team: "storefront" })],
    ["POST", `/api/v1/service-accounts/${userId}/api-keys`, JSON.stringify({ name: "ci", scopes: ["projects:read"] })],
    ["DELETE", `/api/v1/users/${userId}`, ""],
  ]);
});

describe("slipway login --ci", () => {
  const key = {
    api_key_id: "ak_1",
    api_key: "spec_sk_of_ci",
    scopes: [],
    created_at: at,
    expires_at: at,
    rule: "shop",
  };
  const caller = { user_id: userId, name: "ci:shop", role: "svc:user", scopes: [], api_key_id: "ak_1" };

  async function login(env: (service: FakeService) => Record<string, string>) {
    const service = await new FakeService().listen();
    service.answer("POST /api/v1/auth/federate", () => ({ status: 201, body: key }));
    service.answer("GET /api/v1/auth/whoami", caller);
    service.answer("GET /api/token", { value: "signed-by-github" });
    const folder = await mkdtemp(join(tmpdir(), "slipway-login-"));
    const contexts = join(folder, "contexts.json");
    const ended = await slipway(["login", service.url, "--ci", "--audience", "https://slipway.example.com"], {
      env: { SLIPWAY_CONTEXTS: contexts, ...env(service) },
    });
    const kept = await readFile(contexts, "utf8").catch(() => "");
    await rm(folder, { recursive: true });
    return { ...ended, kept, asked: service.asked };
  }

  test("asks GitHub Actions for a token of the audience, and keeps the key for later commands", async () => {
    const { code, out, err, kept, asked } = await login(({ url }) => ({
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/api/token?api-version=2`,
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job",
    }));
    expect([code, out], err).toEqual([0, expect.stringContaining("as ci:shop (svc:user)")]);
    expect(asked[0]!.url).toBe("/api/token?api-version=2&audience=https%3A%2F%2Fslipway.example.com");
    expect(asked.map(({ body }) => body)).toContain(JSON.stringify({ id_token: "signed-by-github" }));
    expect(kept).toContain("spec_sk_of_ci");
  });

  test("sends what GitLab put into the variable; without either, says what the job needs", async () => {
    const { asked } = await login(() => ({ SLIPWAY_ID_TOKEN: "signed-by-gitlab" }));
    expect(asked.map(({ body }) => body)).toContain(JSON.stringify({ id_token: "signed-by-gitlab" }));
    const { code, err } = await login(() => ({}));
    expect([code, err]).toEqual([2, expect.stringContaining("id-token: write")]);
  });
});
