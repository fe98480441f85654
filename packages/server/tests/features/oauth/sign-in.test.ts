import { randomBytes } from "node:crypto";
import { beforeEach, describe, expect, test } from "vitest";
import { startOidcServer } from "../../support/oauth/oidc-server.ts";
import { ownPage, publicUrl, TestBrowser } from "../../support/oauth/sign-in-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

process.env["OAUTH_SECRET_OF_TESTS"] = "sesame-of-the-provider-4711";
const oidc = await startOidcServer(["sso", "other"].map((name) => `${publicUrl}/sign-in/${name}`));
const mapping = { admin: "svc:admin", developer: "svc:user", viewer: "svc:readonly" };
const entry = (name: string) => ({
  provider: "custom",
  name,
  client_id: "slipway",
  client_secret: "{{secrets.OAUTH_SECRET_OF_TESTS}}",
  issuer: oidc.issuer,
  roles_at: "/realm/roles",
  role_mapping: mapping,
});
const app = await createTestApp({
  publicUrl,
  oauth: { declared: [entry("sso"), entry("other")], file: "slipway.yaml" },
});
const { call, clock } = app;

const person = (roles: readonly string[], name = "ada@example.com") =>
  oidc.accounts.set("ada", { email: name, email_verified: true, realm: { roles } });
beforeEach(() => {
  oidc.current = "ada";
  oidc.isDown = false;
  person(["developer"]);
});

const audit = async (action: string) =>
  (await call({ url: `/api/v1/audit?action=${action}` })).json<{ entries: { detail: Record<string, unknown> }[] }>()
    .entries;

describe("somebody who signs in with a provider", () => {
  test("gets a session with the highest role that is mapped, and goes where they wanted", async () => {
    person(["viewer", "admin", "developer", "other"]);
    const browser = new TestBrowser(app);
    const answer = await browser.signIn("sso", { return_to: "/projects?status=failed" });
    expect(answer.json()).toMatchObject({
      session: { name: "ada@example.com", role: "svc:admin", is_api_key: false },
      return_to: "/projects?status=failed",
    });
    expect(answer.headers["set-cookie"]).toMatch(
      /^slipway_session_4700=spec_ss_\w+; Path=\/; HttpOnly; SameSite=Strict/,
    );
    expect((await browser.session()).json()).toMatchObject({ role: "svc:admin" });
    expect((await audit("session.create"))[0]!.detail).toEqual({ provider: "sso" });
  });

  test.for([randomBytes(5_000).toString("hex"), "a\0b"])(
    "is refused where the provider names them by no id of OpenID Connect (%#)",
    async (subject) => {
      oidc.accounts.set(subject, { email: "odd@example.com", email_verified: true, realm: { roles: ["developer"] } });
      oidc.current = subject;
      const refused = await new TestBrowser(app).signIn("sso");
      expect({ status: refused.statusCode, why: refused.json().detail }).toEqual({
        status: 403,
        why: expect.stringContaining("names you by an id that is not valid"),
      });
    },
  );

  test.for(["a\0b", "a\ud83d", "x".repeat(100_000)])(
    "may have roles of any name beside their own (%#)",
    async (odd) => {
      person([odd, "developer"]);
      expect((await new TestBrowser(app).signIn("sso")).json()).toMatchObject({ session: { role: "svc:user" } });
      person([odd, "nothing"], odd);
      const refused = await new TestBrowser(app).signIn("sso");
      expect(refused.statusCode).toBe(403);
      expect(refused.payload.length).toBeLessThan(2_000);
    },
  );

  test("is the same user the next time, with another name and another role", async () => {
    const first = (await new TestBrowser(app).signIn("sso")).json<{ session: { user_id: string } }>().session;
    person(["viewer"], "ada.lovelace@example.com");
    const second = (await new TestBrowser(app).signIn("sso")).json<{ session: object }>().session;
    expect(second).toMatchObject({ user_id: first.user_id, name: "ada@example.com", role: "svc:readonly" });
  });

  test("is nobody else here, whatever their name: neither the administrator nor somebody from another provider", async () => {
    oidc.accounts.set("mallory", { email: "admin", email_verified: true, realm: { roles: ["viewer"] } });
    oidc.current = "mallory";
    const here = (await new TestBrowser(app).signIn("sso")).json<{ session: { name: string; user_id: string } }>();
    expect(here.session).toMatchObject({ name: "admin@sso", role: "svc:readonly" });
    const there = (await new TestBrowser(app).signIn("other")).json<{ session: { user_id: string } }>();
    expect(there.session.user_id).not.toBe(here.session.user_id);
  });

  test.each([
    ["zero", "adm\u200bin"],
    ["turned", "nimda\u202e"],
    ["robot", "ci:deploy"],
  ])("is called by their subject if their name looks like another's or is one of CI's: %s", async (subject, name) => {
    oidc.accounts.set(subject, { preferred_username: name, realm: { roles: ["viewer"] } });
    oidc.current = subject;
    expect((await new TestBrowser(app).signIn("sso")).json()).toMatchObject({ session: { name: `sso:${subject}` } });
  });

  test.each([
    ["ceo", "\ufeff"],
    ["cfo", " "],
    ["cto", "\0"],
  ])("does not get another's name by a sign after it that nobody sees: %s", async (subject, sign) => {
    const name = `${subject}@example.com`;
    oidc.accounts.set(subject, { email: name + sign, email_verified: true, realm: { roles: ["viewer"] } });
    oidc.current = subject;
    const { session } = (await new TestBrowser(app).signIn("sso")).json<{ session: { name: string } }>();
    expect(session.name).not.toContain(name);
    const users = (await call({ url: "/api/v1/users" })).json<{ users: { name: string }[] }>().users;
    expect(users.map((user) => user.name)).not.toContain(name);
  });

  test("has a name where none that the provider says can be one", async () => {
    const subject = "CN=Ada Lovelace,OU=x";
    oidc.accounts.set(subject, { email: "ada@example.com", email_verified: false, realm: { roles: ["viewer"] } });
    oidc.current = subject;
    const name = expect.stringMatching(/^sso:[0-9a-f]{16}$/);
    expect((await new TestBrowser(app).signIn("sso")).json()).toMatchObject({ session: { name } });
  });

  test("is shown by one line without control characters where they are refused", async () => {
    oidc.accounts.set("odd", { preferred_username: "odd\n\u001b[31mname\0", realm: { roles: [] } });
    oidc.current = "odd";
    const refused = await new TestBrowser(app).signIn("sso");
    expect(refused.json<{ detail: string }>().detail).toContain("knows you as odd name");
    expect((await audit("sign_in.refuse")).map(({ detail }) => detail["name"])).toContainEqual(
      expect.stringMatching(/^odd name.?$/),
    );
  });

  test("is not called by an address that the provider has not verified", async () => {
    const claims = { email: "boss@example.com", email_verified: false, preferred_username: "eve" };
    oidc.accounts.set("eve", { ...claims, realm: { roles: ["viewer"] } });
    oidc.current = "eve";
    expect((await new TestBrowser(app).signIn("sso")).json()).toMatchObject({ session: { name: "eve" } });
  });

  test("is refused with the reason if no role is mapped, and what they had ends", async () => {
    oidc.accounts.set("bob", { email: "bob@example.com", email_verified: true, realm: { roles: ["developer"] } });
    oidc.current = "bob";
    const before = new TestBrowser(app);
    await before.signIn("sso");
    oidc.accounts.set("bob", { email: "bob@example.com", email_verified: true, realm: { roles: ["guest"] } });
    const refused = await new TestBrowser(app).signIn("sso");
    expect(refused.statusCode).toBe(403);
    expect(refused.json<{ detail: string }>().detail).toBe(
      "single sign-on knows you as bob@example.com, with guest. None of that has a role here. Ask an administrator of this service to add one of yours to role_mapping.",
    );
    expect(refused.headers["set-cookie"]).toBeUndefined();
    expect((await before.session()).statusCode).toBe(401);
    const told = (await audit("sign_in.refuse")).map(({ detail }) => detail);
    expect(told).toContainEqual(expect.objectContaining({ name: "bob@example.com", roles: ["guest"] }));
  });

  test("stays out after an administrator removed them", async () => {
    oidc.accounts.set("carl", { preferred_username: "carl", realm: { roles: ["developer"] } });
    oidc.current = "carl";
    const { session } = (await new TestBrowser(app).signIn("sso")).json<{ session: { user_id: string } }>();
    await call({ method: "DELETE", url: `/api/v1/users/${session.user_id}` });
    const again = await new TestBrowser(app).signIn("sso");
    expect(again.json()).toMatchObject({ status: 403, code: "forbidden" });
  });

  test("comes back as the same user after an administrator let them in again, and not before they sign in", async () => {
    oidc.accounts.set("dora", { preferred_username: "dora", realm: { roles: ["developer"] } });
    oidc.current = "dora";
    const old = new TestBrowser(app);
    const { session } = (await old.signIn("sso")).json<{ session: { user_id: string } }>();
    const url = `/api/v1/users/${session.user_id}`;
    await call({ method: "DELETE", url });
    const removed = await call({ url: "/api/v1/users?removed=true" });
    expect(removed.json<{ users: object[] }>().users).toContainEqual(expect.objectContaining({ name: "dora" }));
    expect((await call({ method: "POST", url: `${url}/restore` })).json()).toMatchObject({ name: "dora" });
    // What ended stays ended, and no token counts before the provider has confirmed them.
    expect((await old.session()).statusCode).toBe(401);
    const { token } = (await call({ method: "POST", url: `${url}/tokens` })).json<{ token: string }>();
    expect((await call({ url: "/api/v1/projects", token })).statusCode).toBe(401);
    oidc.accounts.set("dora", { preferred_username: "dora", realm: { roles: ["viewer"] } });
    const again = (await new TestBrowser(app).signIn("sso")).json<{ session: object }>();
    expect(again.session).toMatchObject({ user_id: session.user_id, name: "dora", role: "svc:readonly" });
    expect((await call({ method: "POST", url: `${url}/restore` })).statusCode).toBe(404);
  });

  test("may begin on one node and finish on another, once", async () => {
    const other = await app.anotherNode();
    let node = app.http;
    const browser = new TestBrowser({ call: ({ token: _, ...options }) => node.inject(options) });
    const { search } = await browser.goThrough("sso");
    node = other.http;
    const finished = await browser.finish("sso", search.slice(1));
    expect(finished.json()).toMatchObject({ session: { role: "svc:user" } });
    // The session is known to both.
    for (const each of [other.http, app.http]) {
      node = each;
      expect((await browser.session()).json()).toMatchObject({ role: "svc:user" });
    }
    expect((await browser.finish("sso", search.slice(1))).statusCode).toBeGreaterThanOrEqual(400);
  });

  test("has the role that the provider says, and no administrator can give them another", async () => {
    const { session } = (await new TestBrowser(app).signIn("sso")).json<{ session: { user_id: string } }>();
    const url = `/api/v1/users/${session.user_id}`;
    const answer = await call({ method: "PATCH", url, payload: { role: "svc:admin" } });
    expect(answer.json()).toMatchObject({ status: 409 });
  });

  test("is told so while the provider cannot be reached", async () => {
    const browser = new TestBrowser(app);
    const { search } = await browser.goThrough("sso");
    oidc.isDown = true;
    expect((await browser.finish("sso", search.slice(1))).json()).toMatchObject({ code: "provider_unavailable" });
  });
});

describe("refused is", () => {
  test("another browser's state: nobody is signed in as somebody else", async () => {
    const victim = new TestBrowser(app);
    await victim.begin("sso");
    const attacker = new TestBrowser(app);
    const { search } = await attacker.goThrough("sso");
    const answer = await victim.finish("sso", search.slice(1));
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["set-cookie"]).toBeUndefined();
    // Nor did the attempt use up what the other browser began.
    expect((await attacker.finish("sso", search.slice(1))).statusCode).toBe(201);
  });

  test("a state that was used, was never made, or is ten minutes old", async () => {
    const browser = new TestBrowser(app);
    const { search, searchParams } = await browser.goThrough("sso");
    const code = searchParams.get("code");
    expect((await browser.finish("sso", `code=${code}&state=made-up`)).statusCode).toBe(401);
    expect((await browser.finish("sso", `code=${code}`)).statusCode).toBe(401);
    expect((await browser.finish("sso", search.slice(1))).statusCode).toBe(201);
    expect((await browser.finish("sso", search.slice(1))).statusCode).toBe(401);
    const late = await browser.goThrough("sso");
    clock.advance(10 * 60_000);
    expect((await browser.finish("sso", late.search.slice(1))).statusCode).toBe(401);
  });

  test("an answer that was asked of another provider, or comes from another issuer", async () => {
    const browser = new TestBrowser(app);
    const { search, searchParams } = await browser.goThrough("sso");
    expect((await browser.finish("other", search.slice(1))).statusCode).toBe(401);
    searchParams.set("iss", "https://evil.example");
    const answer = await browser.finish("sso", String(searchParams));
    expect(answer.json()).toMatchObject({
      code: "provider_unavailable",
      detail: "The answer of single sign-on is not valid.",
    });
  });

  test("a code of another sign-in: its verifier and its nonce are not ours", async () => {
    const browser = new TestBrowser(app);
    const stolen = (await new TestBrowser(app).goThrough("sso")).searchParams.get("code")!;
    const own = (await browser.goThrough("sso")).searchParams;
    own.set("code", stolen);
    const answer = await browser.finish("sso", String(own));
    expect(answer.statusCode).toBe(403);
    expect(answer.json<{ detail: string }>().detail).toContain("invalid_grant");
  });

  test("a page elsewhere as the place to go to", async () => {
    const browser = new TestBrowser(app);
    for (const return_to of ["https://evil.example", "//evil.example", "/\\evil.example", "javascript:1", "/a\nb", ""])
      expect((await browser.begin("sso", { return_to })).statusCode, return_to).toBe(422);
  });

  test("whatever another site makes a browser send", async () => {
    const browser = new TestBrowser(app);
    const { search } = await browser.goThrough("sso");
    const payload = { parameters: search.slice(1) };
    for (const headers of [
      { origin: "https://evil.example" },
      { origin: "http://slipway.example:5001" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      const call = (what: string) => browser.call("POST", `/api/v1/auth/oauth/sso/${what}`, payload, headers);
      expect((await call("finish")).statusCode, JSON.stringify(headers)).toBe(403);
    }
    const elsewhere = { ...ownPage, host: "10.0.0.1:4700", origin: "http://10.0.0.1:4700" };
    const begun = await call({
      method: "POST",
      url: "/api/v1/auth/oauth/sso/begin",
      token: null,
      headers: elsewhere,
      payload: {},
    });
    expect(begun.json<{ detail: string }>().detail).toContain(`Sign in at ${publicUrl}`);
  });

  test("an error that the provider sends back, told by its code and never by its text", async () => {
    const browser = new TestBrowser(app);
    const { searchParams } = await browser.goThrough("sso");
    const parameters = `error=access_denied&error_description=call+0800+EVIL&state=${searchParams.get("state")}&iss=${oidc.issuer}`;
    const answer = await browser.finish("sso", parameters);
    expect(answer.json()).toMatchObject({ status: 403, detail: "single sign-on refused: access_denied." });
  });

  test("a provider that nobody declared", async () => {
    expect((await new TestBrowser(app).begin("github")).statusCode).toBe(404);
  });
});

test("the providers are told to whoever wants to sign in, and nothing of their secrets", async () => {
  const answer = await call({ url: "/api/v1/auth/providers", token: null });
  expect(answer.json()).toEqual({
    providers: ["sso", "other"].map((name) => ({ name, label: "single sign-on", provider: "custom" })),
  });
});
