import { describe, expect, test } from "vitest";
import { applicationOf, createServiceAccount, createTeam } from "../../support/team-calls.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp();
const { call, userToken } = service;

async function keyOf(account: string, scopes: readonly string[], token?: string) {
  const url = `/api/v1/service-accounts/${account}/api-keys`;
  return call({ method: "POST", url, payload: { name: "ci", scopes }, ...(token !== undefined && { token }) });
}

const statusOf = async (token: string, url = "/api/v1/projects") => (await call({ url, token })).statusCode;

describe("a service account", () => {
  test("keeps its keys and projects when the administrator who made them is removed", async () => {
    const admin = await userToken("svc:admin");
    const payload = { name: "pipeline", role: "svc:user" };
    const made = await call({ method: "POST", url: "/api/v1/service-accounts", token: admin.token, payload });
    const { user_id } = made.json<{ user_id: string }>();
    const answer = await keyOf(user_id, ["projects:create", "projects:read"], admin.token);
    const { api_key } = answer.json<{ api_key: string }>();
    const project = await createProject(service, smallDocument("shop"), api_key);
    await call({ method: "DELETE", url: `/api/v1/users/${admin.userId}` });
    expect(await statusOf(api_key, `/api/v1/projects/${project}`)).toBe(200);
    const audit = await call({ url: "/api/v1/audit?action=project.create&limit=1" });
    expect(audit.json()).toMatchObject({ entries: [{ actor: user_id, actor_name: "pipeline", target: project }] });
    const listed = await call({ url: "/api/v1/service-accounts" });
    expect(listed.json()).toMatchObject({ service_accounts: [{ user_id, name: "pipeline", team_id: null }] });
  });

  test("has keys with no more than its role, and ends with all of them", async () => {
    const account = await createServiceAccount(service, { role: "svc:readonly" });
    expect((await keyOf(account, ["projects:create"])).statusCode).toBe(403);
    const { api_key } = (await keyOf(account, ["projects:read"])).json<{ api_key: string }>();
    expect(await statusOf(api_key)).toBe(200);
    const keys = await call({ url: `/api/v1/service-accounts/${account}/api-keys` });
    expect(keys.json()).toMatchObject({ api_keys: [{ name: "ci", scopes: ["projects:read"], revoked_at: null }] });
    expect(keys.payload).not.toContain(api_key);
    await call({ method: "DELETE", url: `/api/v1/users/${account}` });
    expect(await statusOf(api_key)).toBe(401);
    expect((await keyOf(account, ["projects:read"])).statusCode).toBe(404);
  });

  test("of a team reaches the team's projects alone, whatever its role", async () => {
    const ada = await userToken("svc:user");
    const team = await createTeam(service, ada.userId);
    const account = await createServiceAccount(service, { role: "svc:admin", team: team.name });
    const { api_key } = (await keyOf(account, ["projects:create", "projects:read"])).json<{ api_key: string }>();
    const own = await createProject(service, smallDocument("private"), ada.token);
    const made = await createProject(service, smallDocument("shop"), api_key);
    expect(await statusOf(api_key, `/api/v1/projects/${own}`)).toBe(404);
    expect(await statusOf(ada.token, `/api/v1/projects/${made}`)).toBe(200);
    // Whoever of the team submits the same document adds a run to the same application.
    const answer = await call({
      ...{ method: "POST", url: `/api/v1/projects?team=${team.name}`, token: ada.token },
      ...{ headers: { "content-type": "application/yaml" }, payload: smallDocument("shop") },
    });
    const second = answer.json<{ project_id: string }>().project_id;
    expect(await applicationOf(service, second)).toBe(await applicationOf(service, made));
    expect((await keyOf(account, ["agents:manage"])).statusCode).toBe(403);
  });

  test("is nobody: it gets no tokens, is in no team but its own, and is not the last administrator", async () => {
    const account = await createServiceAccount(service, { role: "svc:admin" });
    const tokens = await call({ method: "POST", url: `/api/v1/users/${account}/tokens` });
    expect(tokens.statusCode).toBe(409);
    const team = await createTeam(service);
    const added = await call({ method: "PUT", url: `/api/v1/teams/${team.id}/members/${account}` });
    expect(added.statusCode).toBe(409);
    const caller = (await call({ url: "/api/v1/auth/whoami" })).json<{ user_id: string }>();
    const demoted = await call({
      ...{ method: "PATCH", url: `/api/v1/users/${caller.user_id}`, payload: { role: "svc:user" } },
    });
    expect([demoted.statusCode, demoted.payload]).toEqual([409, expect.stringContaining("last administrator")]);
  });

  test("has keys by administrators alone, and people have theirs by themselves", async () => {
    const account = await createServiceAccount(service);
    const { api_key } = (await keyOf(account, ["projects:read"])).json<{ api_key: string }>();
    expect((await keyOf(account, ["projects:read"], api_key)).statusCode).toBe(403);
    const ada = await userToken("svc:user");
    expect((await keyOf(ada.userId, ["projects:read"])).statusCode).toBe(404);
  });
});
