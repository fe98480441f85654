import { randomBytes } from "node:crypto";
import { createProject, smallDocument, type TestApp } from "./test-app.ts";

interface MadeTeam {
  readonly id: string;
  readonly name: string;
}

/** Creates a team of these users. */
export async function createTeam({ call }: Pick<TestApp, "call">, ...members: readonly string[]): Promise<MadeTeam> {
  const name = `team-${randomBytes(6).toString("hex")}`;
  const made = await call({ method: "POST", url: "/api/v1/teams", payload: { name } });
  const { team_id } = made.json<{ team_id: string }>();
  for (const userId of members) await call({ method: "PUT", url: `/api/v1/teams/${team_id}/members/${userId}` });
  return { id: team_id, name };
}

/** The application of a project. */
export async function applicationOf({ call }: Pick<TestApp, "call">, projectId: string): Promise<string> {
  return (await call({ url: `/api/v1/projects/${projectId}` })).json<{ application_id: string }>().application_id;
}

/** Creates a service account; gives its id. */
export async function createServiceAccount({ call }: Pick<TestApp, "call">, more: object = {}): Promise<string> {
  const payload = { name: `service-${randomBytes(6).toString("hex")}`, role: "svc:user", ...more };
  const made = await call({ method: "POST", url: "/api/v1/service-accounts", payload });
  return made.json<{ user_id: string }>().user_id;
}

const newKey = { name: "ci", scopes: ["projects:create", "projects:read"] };

/** How the endpoints of teams and service accounts are called so that they succeed; `{user_id}` is the member's. */
export function teamCalls(app: TestApp, memberId: string) {
  return {
    createTeam: async () => ({ payload: { name: `team-${randomBytes(6).toString("hex")}` } }),
    listTeams: async () => ({}),
    readTeam: async () => ({ param: (await createTeam(app, memberId)).id }),
    deleteTeam: async () => ({ param: (await createTeam(app, memberId)).id }),
    addTeamMember: async () => ({ param: (await createTeam(app)).id }),
    removeTeamMember: async () => ({ param: (await createTeam(app, memberId)).id }),
    createServiceAccount: async () => ({
      payload: { name: `service-${randomBytes(6).toString("hex")}`, role: "svc:user" },
    }),
    listServiceAccounts: async () => ({}),
    createServiceKey: async () => ({ param: await createServiceAccount(app), payload: newKey }),
    listServiceKeys: async () => ({ param: await createServiceAccount(app) }),
    shareApplication: async () => {
      const project = await createProject(app, smallDocument("shared"));
      return { param: await applicationOf(app, project), payload: { team: (await createTeam(app)).name } };
    },
  };
}
