import { type Endpoint, endpoints, sessionHeader } from "@slipway/contract";
import { expect, test } from "vitest";
import { agentCalls, newAgent } from "../../support/agents/agent-calls.ts";
import { workerCalls } from "../../support/agents/worker-calls.ts";
import { artifactCalls } from "../../support/artifact-calls.ts";
import { deploymentCalls } from "../../support/deployments/app-calls.ts";
import { deploymentEndpointCalls } from "../../support/deployments/deployment-calls.ts";
import { readProject } from "../../support/engine/follow.ts";
import { runCalls } from "../../support/engine/run-calls.ts";
import { scriptedAgent } from "../../support/engine/scripted-agent.ts";
import { hookCalls } from "../../support/hook-calls.ts";
import { sourceCalls } from "../../support/source-calls.ts";
import { teamCalls } from "../../support/team-calls.ts";
import { createTestApp, smallDocument } from "../../support/test-app.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import { newWebhook, webhookCalls } from "../../support/webhooks/webhook-calls.ts";

const service = await createTestApp({ engine: { agents: [scriptedAgent()] } });
const { call, db, clock, userToken, apiKey } = service;
const receiver = await startReceiver();

interface Entry {
  readonly position: number | null;
  readonly hash: string | null;
  readonly at: string;
  readonly actor: string;
  readonly actor_name: string;
  readonly action: string;
  readonly target: string;
  readonly address: string;
  readonly request_id: string;
  readonly detail: Record<string, unknown>;
}

const entries = async (query = "") =>
  (await call({ url: `/api/v1/audit${query}` })).json<{ entries: Entry[]; next_cursor: string | null }>();
const yaml = { "content-type": "application/yaml" };

/** What the audit log calls a command to a project or an agent, by the endpoint's name. */
const commands = {
  editPlan: "project.edit_plan",
  cancelProject: "project.cancel",
  pauseProject: "project.pause",
  resumeProject: "project.resume",
  restartProject: "project.restart",
  rollbackProject: "project.rollback",
  retryTask: "project.retry",
  startDebugging: "project.debug",
  stepDebugging: "project.debug",
  continueDebugging: "project.debug",
  stopDebugging: "project.debug",
  deleteProject: "project.delete",
  assignAgent: "project.assign_agent",
  decideApproval: "approval.decide",
  deleteAgent: "agent.delete",
  restartAgent: "agent.restart",
  changeWebhook: "webhook.change",
  deleteWebhook: "webhook.delete",
  testWebhook: "webhook.test",
  rotateWebhookSecret: "webhook.rotate_secret",
  replayDeliveries: "webhook.replay",
  redeliver: "webhook.redeliver",
} as const;

/** The same of commands to deployments. */
const deploymentCommands = {
  rollBackDeployment: "deployment.rollback",
  stopDeployment: "deployment.stop",
  startDeployment: "deployment.start",
  restartDeployment: "deployment.restart",
  scaleDeployment: "deployment.scale",
  deleteDeployment: "deployment.delete",
} as const;
const deployed = deploymentEndpointCalls(service);

/** The same of changes to teams. */
const teamCommands = {
  deleteTeam: "team.delete",
  addTeamMember: "team.add_member",
  removeTeamMember: "team.remove_member",
  shareApplication: "application.share",
} as const;
const secret = "/api/v1/secrets/SHOP_KEY";

interface Change {
  readonly action: string;
  /** Makes the change, and gives the answer and what was changed. */
  readonly make: (token: string) => Promise<{ payload: string; target: string }>;
}

/** How each endpoint that changes something is called here, and what the audit log calls it; none: it changes nothing. */
const changes: Readonly<Record<string, Change | "nothing">> = {
  createProject: {
    action: "project.create",
    make: (token) => request(token, { url: "/api/v1/projects", headers: yaml, payload: smallDocument() }, "project_id"),
  },
  uploadArtifact: {
    action: "artifact.upload",
    make: async (token) => {
      const { param, search, ...options } = await workerCalls(service)["uploadArtifact"]!();
      const url = `/api/v1/projects/${param}/artifacts${search}`;
      return { ...(await request(token, { url, ...options })), target: param };
    },
  },
  createHookSecret: {
    action: "application.hook_secret",
    make: async (token) => {
      const { param } = await hookCalls(service).createHookSecret();
      return { ...(await request(token, { url: `/api/v1/applications/${param}/hook-secret` })), target: param };
    },
  },
  // What a push starts is recorded as a change of the application's owner: see the tests of git hooks.
  receiveGitHook: "nothing",
  putSource: {
    action: "application.put_source",
    make: async (token) => {
      const { param, ...options } = await sourceCalls(service).putSource();
      const url = `/api/v1/applications/${param}/source`;
      return { ...(await request(token, { method: "PUT", url, ...options })), target: param };
    },
  },
  beginUpload: {
    action: "artifact.begin_upload",
    make: async (token) => {
      const { param, ...options } = await artifactCalls(service)["beginUpload"]!();
      return { ...(await request(token, { url: `/api/v1/projects/${param}/uploads`, ...options })), target: param };
    },
  },
  sendPiece: {
    action: "artifact.upload",
    make: async (token) => {
      const { param, projectId, ...options } = await artifactCalls(service, token)["sendPiece"]!();
      const sent = await request(token, { method: "PATCH", url: `/api/v1/uploads/${param}`, ...options });
      return { ...sent, target: projectId! };
    },
  },
  cancelUpload: {
    action: "artifact.cancel_upload",
    make: async (token) => {
      const { param, projectId } = await artifactCalls(service, token)["cancelUpload"]!();
      const sent = await request(token, { method: "DELETE", url: `/api/v1/uploads/${param}` });
      return { ...sent, target: projectId! };
    },
  },
  verifyArtifacts: "nothing",
  // What workers do is work, which the project's events tell of.
  claimTask: "nothing",
  heartbeatLease: "nothing",
  sendWorkerEvents: "nothing",
  completeLease: "nothing",
  validateSpec: "nothing",
  createApiKey: {
    action: "api_key.create",
    make: (token) => request(token, { url: keys, payload: newKey }, "api_key_id"),
  },
  rotateApiKey: {
    action: "api_key.rotate",
    make: async (token) => {
      const { id } = await apiKey(["projects:read"], token);
      return request(token, { url: `${keys}/${id}/rotate`, payload: {} }, "api_key_id");
    },
  },
  revokeApiKey: {
    action: "api_key.revoke",
    make: async (token) => {
      const { id } = await apiKey(["projects:read"], token);
      return { ...(await request(token, { method: "DELETE", url: `${keys}/${id}` })), target: id };
    },
  },
  setSecret: {
    action: "secret.set",
    make: async (token) => ({
      ...(await request(token, { method: "PUT", url: secret, payload: { value: "sesame-4711" } })),
      target: "SHOP_KEY",
    }),
  },
  removeSecret: {
    action: "secret.remove",
    make: async (token) => {
      await request(token, { method: "PUT", url: secret, payload: { value: "sesame-4711" } });
      return { ...(await request(token, { method: "DELETE", url: secret })), target: "SHOP_KEY" };
    },
  },
  ...Object.fromEntries(
    Object.entries(deploymentCommands).map(([name, action]) => {
      const { method, path } = (endpoints as Record<string, Endpoint>)[name]!;
      const make = async (token: string) => {
        const { param, ...options } = await deployed[name as keyof typeof deploymentCommands]();
        const target = (await deploymentCalls(service, param).read()).deployment_id;
        const url = path.replace("{application_id}", param).replace("{environment}", "default");
        return { ...(await request(token, { method, url, ...options })), target };
      };
      return [name, { action, make }];
    }),
  ),
  deployProject: {
    action: "project.deploy",
    make: async (token) => {
      const { param, ...options } = await deployed.deployProject();
      const { application_id } = await readProject(service, param);
      // What is live already would not be deployed.
      await deploymentCalls(service, application_id).command("stop");
      return { ...(await request(token, { url: `/api/v1/projects/${param}/deploy`, ...options })), target: param };
    },
  },
  createServiceAccount: {
    action: "service_account.create",
    make: async (token) => {
      const options = { url: "/api/v1/service-accounts", ...(await teams.createServiceAccount()) };
      return request(token, options, "user_id");
    },
  },
  createServiceKey: {
    action: "api_key.create",
    make: async (token) => {
      const { param, ...options } = await teams.createServiceKey();
      return request(token, { url: `/api/v1/service-accounts/${param}/api-keys`, ...options }, "api_key_id");
    },
  },
  createTeam: {
    action: "team.create",
    make: async (token) => request(token, { url: "/api/v1/teams", ...(await teams.createTeam()) }, "team_id"),
  },
  ...Object.fromEntries(
    Object.entries(teamCommands).map(([name, action]) => {
      const { method, path } = (endpoints as Record<string, Endpoint>)[name]!;
      const make = async (token: string) => {
        const { param, ...options } = await teams[name as keyof typeof teamCommands]();
        const url = path.replace(/\{(?:team|application)_id\}/, param).replace("{user_id}", actor.userId);
        return { ...(await request(token, { method, url, ...options })), target: param };
      };
      return [name, { action, make }];
    }),
  ),
  createUser: {
    action: "user.create",
    make: (token) => request(token, { url: "/api/v1/users", payload: { name: "bob", role: "svc:user" } }, "user_id"),
  },
  issueTokens: {
    action: "token.issue",
    make: async (token) => {
      const { userId } = await userToken("svc:user");
      return request(token, { url: `/api/v1/users/${userId}/tokens` }, "user_id");
    },
  },
  changeUser: {
    action: "user.change",
    make: async (token) => {
      const { userId } = await userToken("svc:user");
      const payload = { role: "svc:readonly" };
      return request(token, { method: "PATCH", url: `/api/v1/users/${userId}`, payload }, "user_id");
    },
  },
  removeUser: {
    action: "user.remove",
    make: async (token) => {
      const { userId } = await userToken("svc:user");
      return { ...(await request(token, { method: "DELETE", url: `/api/v1/users/${userId}` })), target: userId };
    },
  },
  restoreUser: {
    action: "user.restore",
    make: async (token) => {
      const { userId } = await userToken("svc:user");
      await request(token, { method: "DELETE", url: `/api/v1/users/${userId}` });
      return request(token, { url: `/api/v1/users/${userId}/restore` }, "user_id");
    },
  },
  endTokens: {
    action: "token.end",
    make: async (token) => {
      const { userId } = await userToken("svc:user");
      return { ...(await request(token, { method: "DELETE", url: `/api/v1/users/${userId}/tokens` })), target: userId };
    },
  },
  refreshTokens: {
    action: "token.refresh",
    make: (_token) =>
      request(null, { url: "/api/v1/auth/refresh", payload: { refresh_token: actor.refreshToken } }, "user_id"),
  },
  createSignInCode: {
    action: "sign_in_code.create",
    make: async (token) => ({
      ...(await request(token, { url: "/api/v1/auth/sign-in-codes" })),
      target: actor.userId,
    }),
  },
  signIn: {
    action: "session.create",
    make: async (token) => {
      const { payload } = await request(token, { url: "/api/v1/auth/sign-in-codes" });
      const credential = (JSON.parse(payload) as { code: string }).code;
      return request(null, { url: "/api/v1/auth/session", headers: ownPage, payload: { credential } }, "user_id");
    },
  },
  signOut: {
    action: "session.end",
    make: async (token) => {
      const { payload } = await request(token, { url: "/api/v1/auth/sign-in-codes" });
      const credential = (JSON.parse(payload) as { code: string }).code;
      const url = "/api/v1/auth/session";
      const signedIn = await call({ method: "POST", url, token: null, headers: ownPage, payload: { credential } });
      const cookie = String(signedIn.headers["set-cookie"]).split(";")[0]!;
      const out = await request(null, { method: "DELETE", url, headers: { ...ownPage, cookie } });
      return { ...out, target: actor.userId };
    },
  },
  endSession: {
    action: "session.end",
    make: async (token) => {
      const { payload } = await request(token, { url: `/api/v1/users/${actor.userId}/tokens` });
      const { token: ended } = JSON.parse(payload) as { token: string };
      const url = "/api/v1/auth/sessions/current";
      return { ...(await request(ended, { method: "DELETE", url })), target: actor.userId };
    },
  },
  // Who comes by a provider is no user before: see the tests of sign-in.
  beginSignIn: "nothing",
  finishSignIn: "nothing",
  // A CI job is an account of its own: see the tests of federation.
  exchangeIdToken: "nothing",
  beginDeviceLogin: "nothing",
  decideDeviceLogin: {
    action: "device.decide",
    make: async (token) => {
      const { user_code } = await newDevice();
      const url = `/api/v1/auth/device/${user_code}`;
      return { ...(await request(token, { url, payload: { decision: "deny" } })), target: actor.userId };
    },
  },
  exchangeDeviceCode: {
    action: "session.create",
    make: async (token) => {
      const { user_code, device_code } = await newDevice();
      await request(token, { url: `/api/v1/auth/device/${user_code}`, payload: { decision: "approve" } });
      return request(null, { url: "/api/v1/auth/device/token", payload: { device_code } }, "user_id");
    },
  },
  createWebhook: {
    action: "webhook.create",
    make: async (token) => request(token, { url: "/api/v1/webhooks", payload: newWebhook(receiver) }, "webhook_id"),
  },
  registerAgent: {
    action: "agent.register",
    make: (token) => request(token, { url: "/api/v1/agents", payload: newAgent() }, "agent_id"),
  },
  ...Object.fromEntries(
    Object.entries(commands).map(([name, action]) => {
      const { method, path } = (endpoints as Record<string, Endpoint>)[name]!;
      const make = async (token: string) => {
        const { param = "", ...options } = await calls[name]!();
        const url = path.replace(/\{\w+_id\}/, param).replace("{role}", "implementer");
        return { ...(await request(token, { method, url, ...options })), target: param };
      };
      return [name, { action, make }];
    }),
  ),
};
const calls = { ...agentCalls(service), ...runCalls(service), ...webhookCalls(service, receiver) };
const ownPage = { origin: "http://localhost:80", [sessionHeader]: "1" };
const keys = "/api/v1/auth/api-keys";
const newKey = { name: "ci", scopes: ["projects:read"] };
const actor = await userToken("svc:admin");
const teams = teamCalls(service, actor.userId);

async function newDevice() {
  const { payload } = await request(null, { url: "/api/v1/auth/device", payload: { device: "a test" } });
  return JSON.parse(payload) as { user_code: string; device_code: string };
}

async function request(
  token: string | null,
  options: { method?: Endpoint["method"]; url: string; headers?: Record<string, string>; payload?: object | string },
  targetMember?: string,
) {
  const headers = { "x-request-id": "audited", ...options.headers };
  // What happens in the same millisecond has no order.
  clock.advance(1);
  const answer = await call({ method: "POST", ...options, headers, token, remoteAddress: "10.9.8.7" });
  expect(answer.statusCode, answer.payload).toBeLessThan(300);
  const target = targetMember === undefined ? "" : String(answer.json<Record<string, unknown>>()[targetMember]);
  return { payload: answer.payload, target };
}

test("it is known of every endpoint that is no read what it changes", () => {
  const writing = (Object.entries(endpoints) as [string, Endpoint][]).filter(([, { method }]) => method !== "GET");
  expect(Object.keys(changes).toSorted()).toEqual(writing.map(([name]) => name).toSorted());
});

test.each(Object.entries(changes).filter(([, change]) => change !== "nothing") as [string, Change][])(
  "%s is written down: who, what, when, from where, and no secret",
  async (_, { action, make }) => {
    const { target, payload } = await make(actor.token);
    // Whether the entry is sealed already is the matter of another test.
    const [{ position: _position, hash: _hash, ...entry }] = (await entries("?limit=1")).entries as [Entry];
    const { name } = await db
      .selectFrom("users")
      .select("name")
      .where("id", "=", actor.userId)
      .executeTakeFirstOrThrow();
    expect(entry).toEqual({
      id: expect.any(String),
      at: clock.now().toISOString(),
      actor: actor.userId,
      actor_name: name,
      action,
      target,
      address: "10.9.8.7",
      request_id: "audited",
      detail: expect.any(Object),
    });
    const told = JSON.stringify(entry);
    for (const [secret] of payload.matchAll(/spec_(?:sk|ut|rt|oc|ss|dc)_\w+/g))
      expect(told).not.toContain(secret.slice(30));
    expect(told).not.toMatch(/spec_(sk|ut|rt|oc|ss|dc)_|whsec_/);
  },
);

test("a change that was made with a key tells whose it was, and which key", async () => {
  const { id, key } = await apiKey(["projects:create"], actor.token);
  const { target } = await request(
    key,
    { url: "/api/v1/projects", headers: yaml, payload: smallDocument() },
    "project_id",
  );
  expect((await entries("?limit=1")).entries).toMatchObject([
    { actor: actor.userId, action: "project.create", target, detail: { api_key_id: id } },
  ]);
});

test.each([
  ["restartProject", { from_phase: "planning" }],
  ["rollbackProject", { checkpoint: expect.stringMatching(/^ckpt_/) }],
  ["retryTask", { task_id: "build-hello", downstream: false }],
  ["stepDebugging", { command: "step" }],
  ["assignAgent", { role: "implementer", agent_id: expect.stringMatching(/^agent_/), priority: "high" }],
  ["decideApproval", { decision: "approved", project_id: expect.stringMatching(/^proj_/) }],
])("%s is written down with what was asked for, in the words of the API", async (name, detail) => {
  await (changes[name] as Change).make(actor.token);
  expect((await entries("?limit=1")).entries).toMatchObject([{ detail }]);
});

test("what was refused or only read is not in the log", async () => {
  const before = (await entries("?limit=1")).entries;
  await call({ method: "POST", url: "/api/v1/projects", headers: yaml, payload: "id: [" });
  await call({ method: "POST", url: "/api/v1/specs/validate", headers: yaml, payload: smallDocument() });
  await call({ url: "/api/v1/projects" });
  await call({ method: "DELETE", url: `${keys}/ak_none` });
  expect((await entries("?limit=1")).entries).toEqual(before);
});

test("the log is read newest first, page by page", async () => {
  const all = (await entries("?limit=100")).entries;
  expect(all.map(({ at }) => at)).toEqual(
    all
      .map(({ at }) => at)
      .toSorted()
      .toReversed(),
  );
  const seen: Entry[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof entries>> = await entries(
      `?limit=4${cursor === "" ? "" : `&cursor=${cursor}`}`,
    );
    seen.push(...page.entries);
    cursor = page.next_cursor;
  }
  expect(seen.slice(0, all.length)).toEqual(all);
});
