import { describe, expect, test } from "vitest";
import { openEventStream } from "../../support/event-stream.ts";
import { applicationOf, createTeam } from "../../support/team-calls.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";
import { startReceiver } from "../../support/webhooks/receiver.ts";
import { deliveriesOf, emit, emitted, register } from "../../support/webhooks/stage.ts";

const service = await createTestApp({ webhooks: {} });
const { call, app, userToken, apiKey } = service;
await app.start();
const receiver = await startReceiver();
const address = await app.http.listen({ port: 0, host: "127.0.0.1" });
const yaml = { "content-type": "application/yaml" };

const submit = async (token: string, id: string, team?: string) => {
  const url = `/api/v1/projects${team === undefined ? "" : `?team=${team}`}`;
  return call({ method: "POST", url, token, headers: yaml, payload: smallDocument(id) });
};
const submitted = async (token: string, id: string, team?: string) =>
  (await submit(token, id, team)).json<{ project_id: string }>().project_id;
const listed = async (token: string) =>
  (await call({ url: "/api/v1/projects", token }))
    .json<{ projects: { project_id: string }[] }>()
    .projects.map((project) => project.project_id)
    .toSorted();
const share = (token: string, application: string, team: string | null) =>
  call({ method: "PUT", url: `/api/v1/applications/${application}/team`, token, payload: { team } });

describe("a run for a team", () => {
  test("belongs to the team's application, whoever submits it, and all members list it", async () => {
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => userToken("svc:user")));
    const team = await createTeam(service, ada!.userId, bob!.userId);
    const first = await submitted(ada!.token, "shop", team.name);
    const second = await submitted(bob!.token, "shop", team.id);
    const own = await submitted(eve!.token, "shop");
    const applications = await Promise.all([first, second, own].map((id) => applicationOf(service, id)));
    expect(applications[1]).toBe(applications[0]);
    expect(applications[2]).not.toBe(applications[0]);
    for (const { token } of [ada!, bob!]) expect(await listed(token)).toEqual([first, second].toSorted());
    expect(await listed(eve!.token)).toEqual([own]);
    const dry = await call({
      method: "POST",
      url: `/api/v1/projects?dry_run=true&team=${team.name}`,
      token: bob!.token,
      headers: yaml,
      payload: smallDocument("shop"),
    });
    expect(dry.payload).toContain(applications[0]);
  });

  test("is of one application, also when members submit its first runs at once", async () => {
    const members = await Promise.all(Array.from({ length: 8 }, () => userToken("svc:user")));
    const team = await createTeam(service, ...members.map(({ userId }) => userId));
    const answers = await Promise.all(members.map(({ token }) => submit(token, "first", team.name)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(members.map(() => 201));
    const runs = answers.map((answer) => answer.json<{ project_id: string }>().project_id);
    const applications = await Promise.all(runs.map((id) => applicationOf(service, id)));
    expect(new Set(applications).size).toBe(1);
  });

  test("of a team that one is not in is refused like one of a team that is not there", async () => {
    const [ada, eve] = await Promise.all([1, 2].map(() => userToken("svc:user")));
    const team = await createTeam(service, ada!.userId);
    const [refused, unknown] = [await submit(eve!.token, "shop", team.name), await submit(eve!.token, "shop", "none")];
    expect([refused.statusCode, unknown.statusCode]).toEqual([404, 404]);
    expect(refused.json<{ detail: string }>().detail.replace(team.name, "none")).toBe(
      unknown.json<{ detail: string }>().detail,
    );
  });

  test("does not take a private application of the submitter's along", async () => {
    const ada = await userToken("svc:user");
    const team = await createTeam(service, ada.userId);
    const own = await submitted(ada.token, "shop");
    const refused = await submit(ada.token, "shop", team.name);
    expect(refused.statusCode).toBe(409);
    expect(refused.json<{ detail: string }>().detail).toContain("Share it with the team first");
    await share(ada.token, await applicationOf(service, own), team.name);
    expect((await submit(ada.token, "shop", team.name)).statusCode).toBe(201);
  });
});

describe("sharing an application", () => {
  test("shows all its runs to the team, and taking it back hides them at once", async () => {
    const [ada, bob] = await Promise.all([1, 2].map(() => userToken("svc:user")));
    const team = await createTeam(service, ada!.userId, bob!.userId);
    const runs = [await submitted(ada!.token, "shop"), await submitted(ada!.token, "shop")];
    const application = await applicationOf(service, runs[0]!);
    expect(await listed(bob!.token)).toEqual([]);
    expect((await share(ada!.token, application, team.name)).json()).toMatchObject({ team_id: team.id });
    expect(await listed(bob!.token)).toEqual(runs.toSorted());
    // A further run of the owner's is the team's, too.
    const third = await submitted(ada!.token, "shop");
    expect(await listed(bob!.token)).toContain(third);
    await share(ada!.token, application, null);
    expect(await listed(bob!.token)).toEqual([]);
  });

  test("is refused where the team has one of that id, and to a team that one is not in", async () => {
    const [ada, bob] = await Promise.all([1, 2].map(() => userToken("svc:user")));
    const team = await createTeam(service, ada!.userId, bob!.userId);
    await submitted(ada!.token, "shop", team.name);
    const application = await applicationOf(service, await submitted(bob!.token, "shop"));
    expect((await share(bob!.token, application, team.name)).statusCode).toBe(409);
    expect((await share(bob!.token, application, (await createTeam(service)).name)).statusCode).toBe(404);
  });
});

test("a member who is taken out sees nothing of the team any more, at once", async () => {
  const [ada, bob] = await Promise.all([1, 2].map(() => userToken("svc:user")));
  const team = await createTeam(service, ada!.userId, bob!.userId);
  await submitted(ada!.token, "shop", team.name);
  expect(await listed(bob!.token)).toHaveLength(1);
  await call({ method: "DELETE", url: `/api/v1/teams/${team.id}/members/${bob!.userId}` });
  expect(await listed(bob!.token)).toEqual([]);
  expect((await call({ url: `/api/v1/teams/${team.id}`, token: bob!.token })).statusCode).toBe(404);
  const again = await call({ method: "DELETE", url: `/api/v1/teams/${team.id}/members/${bob!.userId}` });
  expect(again.statusCode).toBe(404);
});

test("open streams end with what they may show: when one leaves the team, and when a project is taken back", async () => {
  const [ada, bob, carl] = await Promise.all([1, 2, 3].map(() => userToken("svc:user")));
  const team = await createTeam(service, ada!.userId, bob!.userId, carl!.userId);
  const project = await submitted(ada!.token, "shop", team.name);
  const open = (token: string, path = `/projects/${project}/events`) =>
    openEventStream(`${address}/api/v1${path}`, { authorization: `Bearer ${token}` });
  const [events, list, own] = [await open(bob!.token), await open(carl!.token, "/projects"), await open(ada!.token)];
  for (const stream of [events, list, own]) await stream.next();
  await call({ method: "DELETE", url: `/api/v1/teams/${team.id}/members/${carl!.userId}` });
  await emit(service, project);
  // It ends; without that, this would wait for ever.
  await list.rest();
  /** What the engine tells meanwhile is not the matter here. */
  const nextLine = async (stream: typeof own): Promise<unknown> => {
    const { event, data } = await stream.next();
    return event === emitted ? data.data["line"] : nextLine(stream);
  };
  expect(await nextLine(events)).toBe(1);
  await share(ada!.token, await applicationOf(service, project), null);
  await emit(service, project, 1, 2);
  expect((await events.rest()).filter(({ event }) => event === emitted)).toEqual([]);
  expect([await nextLine(own), await nextLine(own)]).toEqual([1, 2]);
});

test("teams are listed to their members, and all of them to administrators", async () => {
  const ada = await userToken("svc:user");
  const [hers, other] = [await createTeam(service, ada.userId), await createTeam(service)];
  const names = async (token?: string) =>
    (await call({ url: "/api/v1/teams", ...(token !== undefined && { token }) }))
      .json<{ teams: { name: string }[] }>()
      .teams.map(({ name }) => name);
  expect(await names(ada.token)).toEqual([hers.name]);
  expect(await names()).toEqual(expect.arrayContaining([hers.name, other.name]));
  const read = await call({ url: `/api/v1/teams/${hers.id}`, token: ada.token });
  expect(read.json()).toMatchObject({ members: 1, member_list: [{ user_id: ada.userId, provider: null }] });
});

test("a key for a team submits for the team, and may have no scope that reaches further", async () => {
  const [ada, bob] = await Promise.all([1, 2].map(() => userToken("svc:user")));
  const team = await createTeam(service, ada!.userId, bob!.userId);
  const url = "/api/v1/auth/api-keys";
  const body = (scopes: string[]) => ({ name: "ci", scopes, team: team.name });
  const create = (scopes: string[]) => call({ method: "POST", url, token: ada!.token, payload: body(scopes) });
  const { api_key } = (await create(["projects:create", "projects:read"])).json<{ api_key: string }>();
  const own = await submitted(ada!.token, "private");
  const project = await submitted(api_key, "shop");
  expect(await listed(api_key)).toEqual([project]);
  expect(await listed(bob!.token)).toEqual([project]);
  expect((await call({ url: `/api/v1/projects/${own}`, token: api_key })).statusCode).toBe(404);
  expect((await create(["agents:work"])).statusCode).toBe(403);
});

test("a team goes only when its webhooks are gone; then its keys end and its applications stay with their owners", async () => {
  const ada = await userToken("svc:user");
  const team = await createTeam(service, ada.userId);
  const project = await submitted(ada.token, "shop", team.name);
  const webhook = await register(service, { url: receiver.url, team: team.name }, ada.token);
  const payload = { name: "ci", scopes: ["projects:read"], team: team.name };
  const made = await call({ method: "POST", url: "/api/v1/auth/api-keys", token: ada.token, payload });
  const remove = () => call({ method: "DELETE", url: `/api/v1/teams/${team.id}` });
  const refused = await remove();
  expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([
    409,
    `The team '${team.name}' still has webhooks (1) or service accounts (0). Remove them first.`,
  ]);
  await call({ method: "DELETE", url: `/api/v1/webhooks/${webhook.webhook_id}`, token: ada.token });
  expect((await remove()).statusCode).toBe(204);
  const { api_key } = made.json<{ api_key: string }>();
  expect((await call({ url: "/api/v1/projects", token: api_key })).statusCode).toBe(401);
  expect(await listed(ada.token)).toEqual([project]);
});

describe("a webhook of a team", () => {
  test("tells of the team's projects alone, is managed by members, and outlives who made it", async () => {
    const [ada, bob, eve] = await Promise.all([1, 2, 3].map(() => userToken("svc:user")));
    const team = await createTeam(service, ada!.userId, bob!.userId);
    const shared = await submitted(bob!.token, "shop", team.name);
    const own = await createProject(service, smallDocument("private"), ada!.token);
    const { webhook_id: id } = await register(
      service,
      { url: receiver.url, events: [emitted], team: team.name },
      ada!.token,
    );
    const statusFor = async (token: string) => (await call({ url: `/api/v1/webhooks/${id}`, token })).statusCode;
    expect([await statusFor(bob!.token), await statusFor(eve!.token)]).toEqual([200, 404]);
    await call({ method: "DELETE", url: `/api/v1/users/${ada!.userId}` });
    await emit(service, own);
    await emit(service, shared);
    const told = await until(async () => {
      const found = await deliveriesOf(service, id);
      return found.length > 0 ? found : undefined;
    });
    expect(told.map(({ project_id }) => project_id)).toEqual([shared]);
    const [delivery] = told;
    const read = (token: string) => call({ url: `/api/v1/deliveries/${delivery!.delivery_id}`, token });
    expect((await read(bob!.token)).statusCode).toBe(200);
    expect((await read(eve!.token)).statusCode).toBe(404);
  });

  test("is bound to no project that the team does not share", async () => {
    const ada = await userToken("svc:user");
    const team = await createTeam(service, ada.userId);
    const own = await createProject(service, smallDocument("private"), ada.token);
    const payload = {
      url: receiver.url,
      events: ["*"],
      secret: "sesame-open-sesame",
      team: team.name,
      project_id: own,
    };
    const refused = await call({ method: "POST", url: "/api/v1/webhooks", token: ada.token, payload });
    expect([refused.statusCode, refused.payload]).toEqual([422, expect.stringContaining("not shared with the team")]);
  });
});

test("a webhook of one's own tells of the projects of one's teams", async () => {
  const [ada, bob] = await Promise.all([1, 2].map(() => userToken("svc:user")));
  const team = await createTeam(service, ada!.userId, bob!.userId);
  const shared = await submitted(bob!.token, "shop", team.name);
  const { webhook_id: id } = await register(service, { url: receiver.url, events: [emitted] }, ada!.token);
  await emit(service, shared);
  expect(await until(async () => (await deliveriesOf(service, id)).at(0)?.project_id)).toBe(shared);
});

test("an administrator's key for no team reaches everything, as before", async () => {
  const ada = await userToken("svc:user");
  const project = await submitted(ada.token, "shop");
  const { key } = await apiKey(["projects:read"]);
  expect((await call({ url: `/api/v1/projects/${project}`, token: key })).statusCode).toBe(200);
});
