import { sessionHeader } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp();
const { call, clock } = app;
// Codes of the same millisecond have no order.
clock.run();

const host = "slipway.example:4700";
const ownPage = { host, origin: `http://${host}`, [sessionHeader]: "1" };
const url = "/api/v1/auth/session";

async function newCode(token?: string): Promise<string> {
  const answer = await call({ method: "POST", url: "/api/v1/auth/sign-in-codes", ...(token && { token }) });
  return answer.json<{ code: string }>().code;
}

const signIn = (credential: string, headers: Record<string, string> = ownPage) =>
  call({ method: "POST", url, token: null, headers, payload: { credential } });

async function cookieOf(credential: string): Promise<string> {
  return String((await signIn(credential)).headers["set-cookie"]).split(";")[0]!;
}

const read = (headers: Record<string, string>) => call({ url, token: null, headers: { host, ...headers } });

describe("a sign-in code", () => {
  test("gives a browser a session, once", async () => {
    const code = await newCode();
    const first = await signIn(code);
    expect(first.statusCode).toBe(201);
    expect(first.headers["set-cookie"]).toMatch(
      /^slipway_session_4700=spec_ss_\w+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/,
    );
    const cookie = String(first.headers["set-cookie"]).split(";")[0]!;
    expect((await read({ cookie })).json()).toMatchObject({ name: "admin", role: "svc:admin", is_api_key: false });
    expect((await signIn(code)).statusCode).toBe(401);
  });

  test("is used by one of many that try at once", async () => {
    const code = await newCode();
    const answers = await Promise.all(Array.from({ length: 8 }, () => signIn(code)));
    expect(answers.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
  });

  test("ends after ten minutes, and is no token itself", async () => {
    const code = await newCode();
    expect((await call({ url, token: code })).statusCode).toBe(401);
    clock.advance(10 * 60_000);
    expect((await signIn(code)).statusCode).toBe(401);
  });

  test("ends when there are twenty newer ones, and with the user's tokens", async () => {
    const { userId, token } = await app.userToken("svc:user");
    const oldest = await newCode(token);
    for (let made = 0; made < 19; made++) await newCode(token);
    const last = await newCode(token);
    expect((await signIn(oldest)).statusCode).toBe(401);
    await call({ method: "DELETE", url: `/api/v1/users/${userId}/tokens` });
    expect((await signIn(last)).statusCode).toBe(401);
  });

  test("of somebody else does not take a browser over that is signed in", async () => {
    const { token } = await app.userToken("svc:user");
    const mine = await cookieOf(await newCode(token));
    const { token: others } = await app.userToken("svc:user");
    const theirs = await newCode(others);
    const refused = await signIn(theirs, { ...ownPage, cookie: mine });
    expect([refused.statusCode, refused.headers["set-cookie"]]).toEqual([403, undefined]);
    expect(refused.json()).toMatchObject({ detail: expect.stringContaining("Sign out first.") });
    const { key } = await app.apiKey(["projects:read"], others);
    expect((await signIn(key, { ...ownPage, cookie: mine })).statusCode).toBe(403);
    // Neither spent, nor refused to the same user, or where nobody is signed in any more.
    expect((await signIn(theirs)).statusCode).toBe(201);
    expect((await signIn(await newCode(token), { ...ownPage, cookie: mine })).statusCode).toBe(201);
    await call({ method: "DELETE", url, token: null, headers: { ...ownPage, cookie: mine } });
    expect((await signIn(await newCode(others), { ...ownPage, cookie: mine })).statusCode).toBe(201);
  });

  test("gives a cookie for encrypted connections only to a page that has one", async () => {
    const secure = await signIn(await newCode(), { ...ownPage, origin: `https://${host}` });
    expect(secure.headers["set-cookie"]).toContain("; Secure");
    expect((await signIn(await newCode())).headers["set-cookie"]).not.toContain("Secure");
  });

  test("is made by users, and not by API keys", async () => {
    const { key } = await app.apiKey(["projects:read"]);
    const answer = await call({ method: "POST", url: "/api/v1/auth/sign-in-codes", token: key });
    expect(answer.statusCode).toBe(403);
  });
});

describe("a session", () => {
  test("of an API key has the key's rights, and ends with the browser", async () => {
    const { key } = await app.apiKey(["projects:read"]);
    const answer = await signIn(key);
    expect(answer.json()).toMatchObject({ scopes: ["projects:read"], is_api_key: true });
    expect(answer.headers["set-cookie"]).not.toContain("Max-Age");
    expect((await signIn("spec_sk_wrong")).statusCode).toBe(401);
  });

  test("changes something only from a page of the service", async () => {
    const cookie = await cookieOf(await newCode());
    const create = (headers: Record<string, string>) =>
      call({ method: "POST", url: "/api/v1/auth/sign-in-codes", token: null, headers: { cookie, host, ...headers } });
    expect((await create(ownPage)).statusCode).toBe(201);
    const { [sessionHeader]: _, ...withoutHeader } = ownPage;
    for (const headers of [
      {},
      withoutHeader,
      { [sessionHeader]: "1" },
      // What is deployed on another port is of the same site.
      { ...ownPage, origin: "http://slipway.example:5001" },
      { ...ownPage, origin: "null" },
      { ...ownPage, "sec-fetch-site": "same-site" },
      { ...ownPage, "sec-fetch-site": "cross-site" },
    ])
      expect((await create(headers)).statusCode, JSON.stringify(headers)).toBe(403);
  });

  test("is not read for other sites, nor by its cookie under another port's name", async () => {
    const cookie = await cookieOf(await newCode());
    expect((await read({ cookie, "sec-fetch-site": "none" })).statusCode).toBe(200);
    expect((await read({ cookie, "sec-fetch-site": "same-site" })).statusCode).toBe(403);
    expect((await read({ cookie, host: "slipway.example:4701" })).statusCode).toBe(401);
    expect((await read({ cookie: "slipway_session_4700=<script>" })).statusCode).toBe(401);
  });

  test("is not replaced by a cookie that a script on another port sets for a longer path", async () => {
    const [ours, theirs] = [await cookieOf(await newCode()), (await app.userToken("svc:user")).token];
    const answer = await read({ cookie: `slipway_session_4700=${theirs}; other=1; ${ours}` });
    expect(answer.json()).toMatchObject({ name: "admin" });
  });

  test("begins only from a page of the service, so that nobody is signed in as somebody else", async () => {
    const answer = await signIn(await newCode(), { host, origin: "https://evil.example", [sessionHeader]: "1" });
    expect(answer.statusCode).toBe(403);
    expect(answer.headers["set-cookie"]).toBeUndefined();
  });

  test("ends for good when somebody signs out; a key that was pasted stays", async () => {
    const { key } = await app.apiKey(["projects:read"]);
    for (const [credential, after] of [
      [await newCode(), 401],
      [key, 200],
    ] as const) {
      const cookie = await cookieOf(credential);
      const out = await call({ method: "DELETE", url, token: null, headers: { ...ownPage, cookie } });
      expect(out.statusCode).toBe(204);
      expect(out.headers["set-cookie"]).toMatch(/^slipway_session_4700=; .*Max-Age=0$/);
      expect((await read({ cookie })).statusCode).toBe(after);
    }
  });

  test("is served by another node of the service, and after a restart", async () => {
    const cookie = await cookieOf(await newCode());
    const other = await app.anotherNode({ isIdle: true });
    const answer = await other.http.inject({ url, headers: { host, cookie } });
    expect(answer.statusCode).toBe(200);
  });
});
