import { type Endpoint, endpoints, type Role, roleNames, type Scope, scopeNames } from "@slipway/contract";
import { beforeAll, describe, expect, test } from "vitest";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp({ metricsToken: "metrics-of-the-operator" });
const { call, db, clock, adminToken, userToken, apiKey } = service;

interface Row {
  readonly roles: readonly Role[];
  /** The one scope with which a key gets in, or one of several; none: no key ever does. */
  readonly scope?: Scope | readonly Scope[];
}

const everybody: readonly Role[] = ["svc:admin", "svc:user", "svc:readonly"];
const changers: readonly Role[] = ["svc:admin", "svc:user"];
const admins: readonly Role[] = ["svc:admin"];

/** Who may call what, as the contract says it; written by hand and not taken from the endpoints. */
const whoMay: Readonly<Record<string, Row | "anyone">> = {
  createProject: { roles: changers, scope: "projects:create" },
  listProjects: { roles: everybody, scope: "projects:read" },
  readProject: { roles: everybody, scope: "projects:read" },
  readProjectStatus: { roles: everybody, scope: "projects:read" },
  readSpec: { roles: everybody, scope: "projects:read" },
  listEvents: { roles: everybody, scope: "projects:read" },
  listApplications: { roles: everybody, scope: "projects:read" },
  readApplication: { roles: everybody, scope: "projects:read" },
  shareApplication: { roles: changers, scope: "projects:manage" },
  listDeployments: { roles: everybody, scope: "projects:read" },
  readDeployment: { roles: everybody, scope: "projects:read" },
  listReleases: { roles: everybody, scope: "projects:read" },
  deployProject: { roles: changers, scope: "projects:manage" },
  listPromotions: { roles: everybody, scope: "projects:read" },
  createHookSecret: { roles: changers, scope: "projects:manage" },
  receiveGitHook: "anyone",
  rollBackDeployment: { roles: changers, scope: "projects:manage" },
  stopDeployment: { roles: changers, scope: "projects:manage" },
  startDeployment: { roles: changers, scope: "projects:manage" },
  restartDeployment: { roles: changers, scope: "projects:manage" },
  scaleDeployment: { roles: changers, scope: "projects:manage" },
  deleteDeployment: { roles: changers, scope: "projects:manage" },
  readSource: { roles: everybody, scope: "projects:read" },
  putSource: { roles: changers, scope: "projects:manage" },
  validateSpec: { roles: changers, scope: "projects:create" },
  readSpecSchema: "anyone",
  listPhases: { roles: everybody, scope: "projects:read" },
  listTasks: { roles: everybody, scope: "projects:read" },
  listCheckpoints: { roles: everybody, scope: "projects:read" },
  readAcceptance: { roles: everybody, scope: "projects:read" },
  readDiagnostics: { roles: everybody, scope: "projects:read" },
  listProjectHealth: { roles: everybody, scope: "projects:read" },
  listApprovals: { roles: everybody, scope: "projects:read" },
  listPendingApprovals: { roles: everybody, scope: "projects:read" },
  listSourceFiles: { roles: everybody, scope: "projects:read" },
  listArtifacts: { roles: everybody, scope: "projects:read" },
  readPlan: { roles: everybody, scope: "projects:read" },
  editPlan: { roles: changers, scope: "projects:manage" },
  cancelProject: { roles: changers, scope: "projects:manage" },
  pauseProject: { roles: changers, scope: "projects:manage" },
  resumeProject: { roles: changers, scope: "projects:manage" },
  restartProject: { roles: changers, scope: "projects:manage" },
  rollbackProject: { roles: changers, scope: "projects:manage" },
  retryTask: { roles: changers, scope: "projects:manage" },
  startDebugging: { roles: changers, scope: "projects:manage" },
  stepDebugging: { roles: changers, scope: "projects:manage" },
  continueDebugging: { roles: changers, scope: "projects:manage" },
  stopDebugging: { roles: changers, scope: "projects:manage" },
  deleteProject: { roles: changers, scope: "projects:manage" },
  assignAgent: { roles: changers, scope: "projects:manage" },
  decideApproval: { roles: changers, scope: "approvals:decide" },
  listAgents: { roles: everybody, scope: "agents:read" },
  readAgent: { roles: everybody, scope: "agents:read" },
  readAgentStatus: { roles: everybody, scope: "agents:read" },
  registerAgent: { roles: admins, scope: "agents:manage" },
  deleteAgent: { roles: admins, scope: "agents:manage" },
  restartAgent: { roles: admins, scope: "agents:manage" },
  readAgentContext: { roles: everybody, scope: "agents:read" },
  readAgentVision: { roles: everybody, scope: "agents:read" },
  readLogs: { roles: everybody, scope: "projects:read" },
  claimTask: { roles: changers, scope: "agents:work" },
  heartbeatLease: { roles: changers, scope: "agents:work" },
  sendWorkerEvents: { roles: changers, scope: "agents:work" },
  completeLease: { roles: changers, scope: "agents:work" },
  readLeaseSource: { roles: changers, scope: "agents:work" },
  uploadArtifact: { roles: changers, scope: ["projects:manage", "agents:work"] },
  createWebhook: { roles: changers, scope: "webhooks:manage" },
  listWebhooks: { roles: changers, scope: "webhooks:manage" },
  readWebhook: { roles: changers, scope: "webhooks:manage" },
  changeWebhook: { roles: changers, scope: "webhooks:manage" },
  deleteWebhook: { roles: changers, scope: "webhooks:manage" },
  testWebhook: { roles: changers, scope: "webhooks:manage" },
  rotateWebhookSecret: { roles: changers, scope: "webhooks:manage" },
  listDeliveries: { roles: changers, scope: "webhooks:manage" },
  replayDeliveries: { roles: changers, scope: "webhooks:manage" },
  readDelivery: { roles: changers, scope: "webhooks:manage" },
  redeliver: { roles: changers, scope: "webhooks:manage" },
  streamWebhook: { roles: everybody, scope: "projects:read" },
  downloadArtifact: { roles: everybody, scope: "artifacts:download" },
  beginUpload: { roles: changers, scope: "projects:manage" },
  readUpload: { roles: changers, scope: "projects:manage" },
  sendPiece: { roles: changers, scope: "projects:manage" },
  cancelUpload: { roles: changers, scope: "projects:manage" },
  verifyArtifacts: { roles: changers, scope: "projects:manage" },
  setSecret: { roles: changers },
  listSecrets: { roles: changers },
  readSecret: { roles: changers },
  removeSecret: { roles: changers },
  createApiKey: { roles: changers },
  readCaller: { roles: everybody, scope: scopeNames },
  listApiKeys: { roles: changers },
  revokeApiKey: { roles: everybody },
  rotateApiKey: { roles: changers },
  refreshTokens: "anyone",
  createSignInCode: { roles: everybody },
  signIn: "anyone",
  readSession: { roles: everybody, scope: scopeNames },
  signOut: { roles: everybody, scope: scopeNames },
  listSessions: { roles: everybody },
  endSession: { roles: everybody },
  listSignInProviders: "anyone",
  beginSignIn: "anyone",
  finishSignIn: "anyone",
  exchangeIdToken: "anyone",
  beginDeviceLogin: "anyone",
  exchangeDeviceCode: "anyone",
  readDeviceLogin: { roles: everybody },
  decideDeviceLogin: { roles: everybody },
  createServiceAccount: { roles: admins },
  listServiceAccounts: { roles: admins },
  createServiceKey: { roles: admins },
  listServiceKeys: { roles: admins },
  createTeam: { roles: admins },
  listTeams: { roles: everybody, scope: scopeNames },
  readTeam: { roles: everybody, scope: scopeNames },
  deleteTeam: { roles: admins },
  addTeamMember: { roles: admins },
  removeTeamMember: { roles: admins },
  createUser: { roles: admins },
  listUsers: { roles: admins },
  changeUser: { roles: admins },
  removeUser: { roles: admins },
  restoreUser: { roles: admins },
  endTokens: { roles: admins },
  issueTokens: { roles: admins },
  listAudit: { roles: admins },
  checkAudit: { roles: admins },
  readServiceLog: { roles: admins },
  readInstallation: { roles: admins },
  readHealth: "anyone",
  readReadiness: "anyone",
  readMetrics: { roles: admins },
  readOpenApi: "anyone",
};

/** A caller's name, and the token they come with. */
const callers = new Map<string, string | null>([
  ["nobody", null],
  ["garbage", "garbage"],
  ["svc:admin", adminToken],
]);

beforeAll(async () => {
  callers.set("svc:user", (await userToken("svc:user")).token);
  callers.set("svc:readonly", (await userToken("svc:readonly")).token);
  for (const scope of scopeNames) callers.set(`key ${scope}`, (await apiKey([scope])).key);
});

test("every endpoint has a row that says who may call it, and every row an endpoint", () => {
  expect(Object.keys(whoMay).toSorted()).toEqual(Object.keys(endpoints).toSorted());
});

let addresses = 0;

describe.each(Object.entries(endpoints) as [string, Endpoint][])("%s", (name, { method, path, aliases = [] }) => {
  test.each([path, ...aliases])("admits those who may call it and nobody else, at %s", async (at) => {
    const found: Record<string, string> = {};
    // From an address of its own: who guesses tokens all the time is not even heard.
    addresses += 1;
    const remoteAddress = `10.3.${addresses >> 8}.${addresses & 255}`;
    for (const [caller, token] of callers) {
      const url = at.replace(/\{\w+\}/g, "none_such");
      const { statusCode } = await call({ method, url, token, remoteAddress });
      expect(statusCode, `${caller} at ${at}`).toBeLessThan(500);
      found[caller] = statusCode === 401 || statusCode === 403 ? String(statusCode) : "let in";
    }
    const row = whoMay[name];
    const expected = Object.fromEntries([...callers.keys()].map((caller) => [caller, verdict(row, caller)]));
    expect(found).toEqual(expected);
  });
});

function verdict(row: Row | "anyone" | undefined, caller: string): string {
  if (row === "anyone") return "let in";
  if (caller === "nobody" || caller === "garbage") return "401";
  const isLetIn = caller.startsWith("key ")
    ? [row?.scope ?? []].flat().some((scope) => caller === `key ${scope}`)
    : row?.roles.includes(caller as Role);
  return isLetIn ? "let in" : "403";
}

test("a refusal names the scope that is missing, to people and to programs", async () => {
  const { key } = await apiKey(["agents:read"]);
  const refused = await call({ url: "/api/v1/projects", token: key });
  expect(refused.json()).toMatchObject({ status: 403, code: "forbidden" });
  expect(refused.json<{ detail: string }>().detail).toContain("'projects:read'");
  expect(refused.headers["www-authenticate"]).toContain('error="insufficient_scope", scope="projects:read"');
});

test("a role that lacks a scope is refused with the name of the scope", async () => {
  const { token } = await userToken("svc:readonly");
  const refused = await call({ method: "POST", url: "/api/v1/specs/validate", token });
  expect(refused.json<{ detail: string }>().detail).toBe(
    "This needs the scope 'projects:create', which the role svc:readonly does not have.",
  );
});

test("a missing token and a wrong one are answered with a challenge", async () => {
  for (const token of [null, "garbage"]) {
    const refused = await call({ url: "/api/v1/projects", token });
    expect(refused.statusCode).toBe(401);
    expect(refused.headers["www-authenticate"]).toMatch(/^Bearer realm="slipway"/);
  }
});

test("a refresh token opens nothing but the refreshing", async () => {
  const { refreshToken } = await userToken("svc:admin");
  expect((await call({ url: "/api/v1/projects", token: refreshToken })).statusCode).toBe(401);
});

describe("what you may not see is not there", () => {
  const parts = ["", "/spec", "/events", "/phases", "/tasks", "/checkpoints", "/approvals", "/artifacts"];
  const addressesOf = (id: string) => [
    ...parts.map((part) => `/api/v1/projects/${id}${part}`),
    `/v1/projects/${id}/status`,
  ];

  test("another user's project is 404 for a user and their keys, and not in their lists", async () => {
    const [owner, stranger] = [await userToken("svc:user"), await userToken("svc:user")];
    const id = await createProject(service, smallDocument("theirs"), owner.token);
    const { key } = await apiKey(["projects:read"], stranger.token);
    for (const token of [stranger.token, key]) {
      for (const url of addressesOf(id)) {
        const answer = await call({ url, token });
        const nothing = await call({ url: url.replace(id, "proj_00000000000000000000"), token });
        expect([answer.statusCode, answer.json<{ detail: string }>().detail], url).toEqual([
          404,
          nothing.json<{ detail: string }>().detail,
        ]);
      }
      expect((await call({ url: "/api/v1/projects", token })).json()).toEqual({ projects: [], next_cursor: null });
      expect((await call({ url: "/api/v1/applications", token })).json()).toEqual({
        applications: [],
        next_cursor: null,
      });
    }
    for (const url of addressesOf(id)) expect((await call({ url, token: owner.token })).statusCode, url).toBe(200);
  });

  test("every project is readable for svc:readonly and svc:admin", async () => {
    const owner = await userToken("svc:user");
    const id = await createProject(service, smallDocument(), owner.token);
    for (const token of [(await userToken("svc:readonly")).token, (await userToken("svc:admin")).token]) {
      for (const url of addressesOf(id)) expect((await call({ url, token })).statusCode, url).toBe(200);
    }
  });

  test("another user's key cannot be rotated, not even by an administrator: the new one would be theirs", async () => {
    const owner = await userToken("svc:user");
    const { id, key } = await apiKey(["projects:read"], owner.token);
    const rotated = await call({ method: "POST", url: `/api/v1/auth/api-keys/${id}/rotate`, payload: {} });
    expect(rotated.statusCode).toBe(404);
    expect((await call({ url: "/api/v1/projects", token: key })).statusCode).toBe(200);
  });
});

test("a key's rights shrink and grow with its maker's role", async () => {
  const maker = await userToken("svc:user");
  const { key } = await apiKey(["projects:create", "projects:read"], maker.token);
  const setRole = async (role: Role) => {
    await db.updateTable("users").set({ role }).where("id", "=", maker.userId).execute();
    clock.advance(5_001);
  };
  const validate = async () =>
    (
      await call({
        method: "POST",
        url: "/api/v1/specs/validate",
        token: key,
        headers: { "content-type": "application/yaml" },
        payload: smallDocument(),
      })
    ).statusCode;
  expect(await validate()).toBe(200);
  await setRole("svc:readonly");
  expect(await validate()).toBe(403);
  expect((await call({ url: "/api/v1/projects", token: key })).statusCode).toBe(200);
  await setRole("svc:user");
  expect(await validate()).toBe(200);
});

test("a user cannot create a key with more rights than their own", async () => {
  const { token } = await userToken("svc:user");
  const refused = await call({
    method: "POST",
    url: "/api/v1/auth/api-keys",
    token,
    payload: { name: "too much", scopes: ["projects:read", "agents:manage"] },
  });
  expect(refused.statusCode).toBe(403);
  expect(refused.json<{ detail: string }>().detail).toContain("'agents:manage'");
});

test("the metrics are open to the operator's own token, and that token to nothing else", async () => {
  const token = "metrics-of-the-operator";
  expect((await call({ url: "/metrics", token })).statusCode).toBe(200);
  expect((await call({ url: "/api/v1/projects", token })).statusCode).toBe(401);
});

test("the table speaks of every role", () => {
  expect(roleNames.toSorted()).toEqual(everybody.toSorted());
});
