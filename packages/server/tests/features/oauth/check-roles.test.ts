import { sql } from "kysely";
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { checkRoles, endAccessOf, openProviders } from "../../../src/features/oauth/index.ts";
import { operatorsDialler } from "../../../src/platform/network/index.ts";
import { startOidcServer } from "../../support/oauth/oidc-server.ts";
import { publicUrl, TestBrowser } from "../../support/oauth/sign-in-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

const oidc = await startOidcServer([`${publicUrl}/sign-in/sso`]);
const declared = {
  ...{ provider: "custom", name: "sso", issuer: oidc.issuer, roles_at: "/realm/roles" },
  ...{ client_id: "slipway", client_secret: "sesame-of-the-provider-4711" },
  role_mapping: { admin: "svc:admin", developer: "svc:user", viewer: "svc:readonly" },
  team_mapping: { shop: "storefront", ops: "operations" },
};
const app = await createTestApp({ publicUrl, oauth: { declared, file: "slipway.yaml" } });
const { call, clock, db, keyring } = app;
const dialler = operatorsDialler();
afterAll(() => dialler.close());
const secretSources = async () => ({ find: () => undefined, isPrivate: true });
const providers = openProviders(
  { dial: dialler.fetch, secretSources },
  // Nobody listens on this port.
  [declared, { ...declared, name: "away", issuer: "http://127.0.0.1:9" }],
  "slipway.yaml",
);

/** What every node does each minute. */
async function check() {
  const disableWebhooksOf = async () => [];
  await checkRoles({
    ...{ db, clock, keyring, providers, onRevoked: () => undefined, onWebhooksDisabled: () => undefined },
    endAccess: (trx, ...rest) => endAccessOf(trx, { clock, disableWebhooksOf }, ...rest),
  });
  // Nodes notify each other of what ended; without that, they notice after five seconds.
  clock.advance(5_000);
}
const minuteMs = 60_000;
let people = 0;

beforeEach(() => {
  oidc.isDown = false;
  oidc.tellsNothing = false;
});

/** Somebody new at the provider, signed in here. */
async function newPerson(roles: readonly string[]) {
  people += 1;
  const id = `person-${people}`;
  const setRoles = (now: readonly string[]) => oidc.accounts.set(id, { preferred_username: id, realm: { roles: now } });
  setRoles(roles);
  oidc.current = id;
  const browser = new TestBrowser(app);
  const { session } = (await browser.signIn("sso")).json<{ session: { user_id: string } }>();
  return { browser, setRoles, leave: () => oidc.accounts.delete(id), userId: session.user_id };
}

/** A command line that somebody lets in. */
async function login(browser: TestBrowser) {
  const begun = await call({ method: "POST", url: "/api/v1/auth/device", token: null, payload: {} });
  const { user_code, device_code } = begun.json<{ user_code: string; device_code: string }>();
  await browser.call("POST", `/api/v1/auth/device/${user_code}`, { decision: "approve" });
  const url = "/api/v1/auth/device/token";
  const answer = await call({ method: "POST", url, token: null, payload: { device_code } });
  return answer.json<{ token: string; refresh_token: string }>();
}

const refresh = (refresh_token: string) =>
  call({ method: "POST", url: "/api/v1/auth/refresh", token: null, payload: { refresh_token } });
const statusOf = async (token: string) => (await call({ url: "/api/v1/projects", token })).statusCode;

describe("every ten minutes the provider is asked again, and", () => {
  test("who has left it has no access any more: sessions, tokens and keys end", async () => {
    const { browser, leave } = await newPerson(["developer"]);
    const { token, refresh_token } = await login(browser);
    const { key } = await app.apiKey(["projects:read"], token);
    leave();
    await check();
    expect(await statusOf(key)).toBe(200);
    clock.advance(10 * minuteMs);
    await check();
    expect([await statusOf(key), await statusOf(token), (await browser.session()).statusCode]).toEqual([401, 401, 401]);
    expect((await refresh(refresh_token)).statusCode).toBe(401);
    const { entries } = (await call({ url: "/api/v1/audit?action=user.end_access" })).json<{ entries: object[] }>();
    expect(entries[0]).toMatchObject({ detail: { why: "single sign-on refused: invalid_grant." } });
  });

  test("who has another role there has another one here, and keys have less with it", async () => {
    const { browser, setRoles } = await newPerson(["admin"]);
    const { token } = await login(browser);
    setRoles(["viewer"]);
    clock.advance(10 * minuteMs);
    await check();
    expect((await browser.session()).json()).toMatchObject({ role: "svc:readonly" });
    expect((await call({ url: "/api/v1/users", token })).statusCode).toBe(403);
    setRoles(["guest"]);
    clock.advance(10 * minuteMs);
    await check();
    expect(await statusOf(token)).toBe(401);
  });

  test("who is in another group there is in another team here; what an administrator said stays", async () => {
    const person = await newPerson(["developer", "shop"]);
    const teamsOf = async () => {
      const answer = await person.browser.call("GET", "/api/v1/teams");
      return answer
        .json<{ teams: { name: string; team_id: string }[] }>()
        .teams.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    };
    const names = async () => (await teamsOf()).map(({ name }) => name);
    expect(await names()).toEqual(["storefront"]);
    const made = await call({ method: "POST", url: "/api/v1/teams", payload: { name: "by-hand" } });
    const { team_id } = made.json<{ team_id: string }>();
    await call({ method: "PUT", url: `/api/v1/teams/${team_id}/members/${person.userId}` });
    person.setRoles(["developer", "ops"]);
    clock.advance(10 * minuteMs);
    await check();
    expect(await names()).toEqual(["by-hand", "operations"]);
    // Whom an administrator adds to a team stays there, whatever the groups say.
    const [, operations] = await teamsOf();
    await call({ method: "PUT", url: `/api/v1/teams/${operations!.team_id}/members/${person.userId}` });
    person.setRoles(["developer"]);
    clock.advance(10 * minuteMs);
    await check();
    expect(await names()).toEqual(["by-hand", "operations"]);
    await person.browser.call("DELETE", "/api/v1/auth/session");
  });

  test("who has nothing here any more is not asked about", async () => {
    const { browser } = await newPerson(["viewer"]);
    await browser.call("DELETE", "/api/v1/auth/session");
    clock.advance(10 * minuteMs);
    await check();
    const asked = oidc.tokenCalls;
    clock.advance(10 * minuteMs);
    await check();
    expect(oidc.tokenCalls).toBe(asked);
  });

  test("a provider that is away changes nothing for an hour, and lets nobody in after it", async () => {
    const { browser } = await newPerson(["viewer"]);
    oidc.isDown = true;
    clock.advance(50 * minuteMs);
    await check();
    expect((await browser.session()).statusCode).toBe(200);
    clock.advance(10 * minuteMs);
    await check();
    expect((await browser.session()).statusCode).toBe(401);
    oidc.isDown = false;
    // Whom the provider did not answer for is asked about again after two minutes.
    clock.advance(2 * minuteMs);
    await check();
    expect((await browser.session()).statusCode).toBe(200);
  });

  test("a provider that is away keeps nobody from being asked about at another one", async () => {
    const { browser, setRoles, userId } = await newPerson(["admin"]);
    // Many at a provider that does not answer, all of them due for longer.
    await sql`insert into users (id, name, role) select 'usr_away' || n, 'away' || n, 'svc:user' from generate_series(1, 40) n`.execute(
      db,
    );
    await sql`insert into webhooks (id, owner_id, url, events, ordering, secret)
      select 'wh_away' || n, 'usr_away' || n, 'https://x.example', '{}', 'none', '' from generate_series(1, 40) n`.execute(
      db,
    );
    await sql`insert into identities (provider, subject, user_id, roles, tokens, checked_at)
      select 'away', n::text, 'usr_away' || n, '{}', (select tokens from identities where user_id = ${userId}), 'epoch'
      from generate_series(1, 40) n`.execute(db);
    // And one whose tokens no key opens.
    await sql`update identities set tokens = 'x', provider = 'sso' where user_id = 'usr_away1'`.execute(db);
    setRoles(["viewer"]);
    clock.advance(10 * minuteMs);
    await check();
    expect((await browser.session()).json()).toMatchObject({ role: "svc:readonly" });
    await sql`delete from identities where user_id like 'usr_away%'`.execute(db);
  });

  test("a provider that fails after it has exchanged the tokens takes nothing away", async () => {
    const { browser, setRoles } = await newPerson(["developer"]);
    oidc.tellsNothing = true;
    clock.advance(10 * minuteMs);
    await check();
    oidc.tellsNothing = false;
    setRoles(["viewer"]);
    clock.advance(2 * minuteMs);
    await check();
    expect((await browser.session()).json()).toMatchObject({ role: "svc:readonly" });
  });

  test("two nodes do not ask at once", async () => {
    await newPerson(["viewer"]);
    clock.advance(10 * minuteMs);
    const before = oidc.tokenCalls;
    const due = await db.selectFrom("identities").select("subject").where("tokens", "is not", null).execute();
    await Promise.all([check(), check(), check()]);
    expect(oidc.tokenCalls - before).toBeLessThanOrEqual(due.length);
  });
});

describe("a refresh", () => {
  test("asks the provider, and gives nothing to somebody who left", async () => {
    const { browser, leave, setRoles } = await newPerson(["admin"]);
    const { refresh_token } = await login(browser);
    setRoles(["developer"]);
    clock.advance(minuteMs);
    const next = (await refresh(refresh_token)).json<{ token: string; refresh_token: string }>();
    expect((await call({ url: "/api/v1/auth/session", token: next.token })).json()).toMatchObject({ role: "svc:user" });
    leave();
    clock.advance(minuteMs);
    expect((await refresh(next.refresh_token)).statusCode).toBe(401);
    expect(await statusOf(next.token)).toBe(401);
  });

  test("with a token that was used ends every token of that login", async () => {
    const { browser } = await newPerson(["developer"]);
    const first = await login(browser);
    const second = (await refresh(first.refresh_token)).json<{ token: string }>();
    expect(await statusOf(second.token)).toBe(200);
    expect((await refresh(first.refresh_token)).statusCode).toBe(401);
    expect(await statusOf(second.token)).toBe(401);
  });
});

test("signing out for good ends the tokens at the provider, and forgets them", async () => {
  const { browser, userId } = await newPerson(["viewer"]);
  await browser.call("DELETE", "/api/v1/auth/session");
  const tokensOf = () => db.selectFrom("identities").select("tokens").where("user_id", "=", userId).executeTakeFirst();
  await expect.poll(async () => (await tokensOf())?.tokens).toBeNull();
});

test("the provider's tokens are in the database only encrypted", async () => {
  await newPerson(["viewer"]);
  const rows = await db.selectFrom("identities").select("tokens").where("tokens", "is not", null).execute();
  expect(rows.length).toBeGreaterThan(0);
  for (const { tokens } of rows) expect(String(tokens)).not.toMatch(/[Tt]oken/);
});
