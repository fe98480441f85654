import { type Endpoint, endpoints, type Role, type Scope, scopesOfRole } from "@slipway/contract";
import { beforeAll, describe, expect, test } from "vitest";
import { applicationOf, createTeam } from "../../support/team-calls.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp();
const { call, adminToken, userToken } = service;

interface Caller {
  readonly token: string;
  readonly role: Role;
  /** Whether the project is theirs, or their team's. */
  readonly belongs: boolean;
  /** Their key reaches one team alone. */
  readonly isBound?: boolean;
}

const callers = new Map<string, Caller>();
let projectId = "";
let applicationId = "";
let former = "";

beforeAll(async () => {
  const [owner, member, leaver, stranger] = await Promise.all([1, 2, 3, 4].map(() => userToken("svc:user")));
  const [reader, foreignReader] = await Promise.all([1, 2].map(() => userToken("svc:readonly")));
  const team = await createTeam(service, owner!.userId, member!.userId, leaver!.userId, reader!.userId);
  const other = await createTeam(service, member!.userId, stranger!.userId);
  projectId = await createProject(service, smallDocument("theirs"), owner!.token);
  applicationId = await applicationOf(service, projectId);
  await call({
    method: "PUT",
    url: `/api/v1/applications/${applicationId}/team`,
    token: owner!.token,
    payload: { team: team.name },
  });
  const keyOf = async (token: string, name: string) => {
    const scopes = scopesOfRole["svc:user"].filter((scope) => scope !== "agents:work");
    const payload = { name: "ci", scopes, team: name };
    return (await call({ method: "POST", url: "/api/v1/auth/api-keys", token, payload })).json<{ api_key: string }>()
      .api_key;
  };
  former = await keyOf(leaver!.token, team.name);
  await call({ method: "DELETE", url: `/api/v1/teams/${team.id}/members/${leaver!.userId}` });
  const user = { role: "svc:user" } as const;
  const readonly = { role: "svc:readonly" } as const;
  callers
    .set("owner", { ...user, token: owner!.token, belongs: true })
    .set("member", { ...user, token: member!.token, belongs: true })
    .set("former member", { ...user, token: leaver!.token, belongs: false })
    .set("stranger", { ...user, token: stranger!.token, belongs: false })
    .set("a member's key for the team", { ...user, token: await keyOf(member!.token, team.name), belongs: true })
    .set("a member's key for another team", {
      ...{ ...user, token: await keyOf(member!.token, other.name) },
      ...{ belongs: false, isBound: true },
    })
    .set("an administrator's key for another team", {
      ...{ role: "svc:admin", token: await keyOf(adminToken, other.name) },
      ...{ belongs: false, isBound: true },
    })
    .set("read-only member", { ...readonly, token: reader!.token, belongs: true })
    .set("read-only stranger", { ...readonly, token: foreignReader!.token, belongs: false })
    .set("administrator", { role: "svc:admin", token: adminToken, belongs: false });
});

/** Bodies with which an endpoint looks further than at its body. */
const bodies: Readonly<Record<string, object>> = {
  restartProject: { from_phase: "planning" },
  rollbackProject: { checkpoint: "ckpt_00000000000000000000" },
  retryTask: { task_id: "none" },
  assignAgent: { agent_id: "agent_00000000000000000000" },
  deployProject: { environment: "staging" },
  scaleDeployment: { replicas: 2 },
  beginUpload: { type: "documentation", path: "docs/a.txt", size_bytes: 1 },
  shareApplication: { team: "none-such" },
};
const otherBodies: Readonly<Record<string, readonly [type: string, body: string]>> = {
  editPlan: ["application/yaml", "tasks: ["],
  putSource: ["application/x-tar", "no archive"],
  uploadArtifact: ["application/octet-stream", "guide"],
};
const queries: Readonly<Record<string, string>> = { uploadArtifact: "?type=documentation&path=docs/guide.bin" };

const ownersOnly = new Set(["shareApplication"]);

const ofProjects = (Object.entries(endpoints) as [string, Endpoint][]).filter(([, { path, access }]) => {
  return /\{(project|application)_id\}/.test(path) && access.kind !== "open";
});

describe.each(ofProjects)("%s", (name, { method, path, access }) => {
  test("serves owners, members of the team and administrators, and hides it from others", async () => {
    const found: Record<string, string> = {};
    const expected: Record<string, string> = {};
    for (const [who, caller] of callers) {
      const answer = await call({
        method,
        url: addressOf(path) + (queries[name] ?? ""),
        token: caller.token,
        ...bodyOf(name),
      });
      expect(answer.statusCode, `${who}: ${answer.payload}`).toBeLessThan(500);
      found[who] = verdictOf(answer);
      expected[who] = who !== "owner" && ownersOnly.has(name) ? expectedOfOthers(caller) : expectedOf(access, caller);
    }
    expect(found).toEqual(expected);
  });
});

function addressOf(path: string): string {
  return path
    .replace("{project_id}", projectId)
    .replace("{application_id}", applicationId)
    .replace("{environment}", "default")
    .replace("{role}", "implementer")
    .replace(/\{\w+\}/g, "none_such");
}

function bodyOf(name: string) {
  const [type, payload] = otherBodies[name] ?? [];
  if (type !== undefined) return { payload: payload!, headers: { "content-type": type } };
  return bodies[name] === undefined ? {} : { payload: bodies[name] };
}

function verdictOf({ statusCode, payload }: { statusCode: number; payload: string }): string {
  if (statusCode === 403) return "refused";
  const isHidden = statusCode === 404 && /may not (?:read|see) it/.test(payload);
  return isHidden ? "hidden" : "served";
}

/** Members work on what is shared, and leave to its owner that it is. */
function expectedOfOthers({ role, belongs, isBound = false }: Caller): string {
  if (role === "svc:admin" && !isBound) return "served";
  return belongs || role === "svc:readonly" ? "refused" : "hidden";
}

function expectedOf(access: Endpoint["access"], { role, belongs, isBound = false }: Caller): string {
  const scopes: readonly Scope[] =
    access.kind === "scope" ? [access.scope] : access.kind === "anyScope" ? access.scopes : [];
  if (!scopes.some((scope) => scopesOfRole[role].includes(scope))) return "refused";
  const readsAll = !isBound && (role === "svc:admin" || (role === "svc:readonly" && !isChange(scopes)));
  if (!belongs && !readsAll) return "hidden";
  return "served";
}

function isChange(scopes: readonly Scope[]): boolean {
  return scopes.includes("projects:manage");
}

test("a key for a team ends with its maker's membership", async () => {
  expect((await call({ url: "/api/v1/projects", token: former })).statusCode).toBe(401);
});
