import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readToken, type Token, writeToken } from "../../../src/features/auth/token-format.ts";
import { createTestApp } from "../../support/test-app.ts";

const { call, clock, adminToken, userToken } = await createTestApp();
const hourMs = 3600_000;

interface Tokens {
  readonly user_id: string;
  readonly token: string;
  readonly expires_at: string;
  readonly refresh_token: string;
  readonly refresh_expires_at: string;
}

const refresh = (refreshToken: string, remoteAddress = "127.0.0.1") =>
  call({
    method: "POST",
    url: "/api/v1/auth/refresh",
    token: null,
    remoteAddress,
    payload: { refresh_token: refreshToken },
  });
const works = async (token: string) => (await call({ url: "/api/v1/projects", token })).statusCode === 200;

describe("the format of tokens", () => {
  const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";
  const text = (length: number) =>
    fc.string({ unit: fc.constantFrom(...alphabet), minLength: length, maxLength: length });
  const token = fc.record({
    kind: fc.constantFrom<Token["kind"]>("access", "refresh", "apiKey"),
    id: text(20),
    secret: text(52),
  });

  test("what was written is read again", () => {
    fc.assert(
      fc.property(token, (given) => {
        expect(readToken(writeToken(given))).toEqual(given);
      }),
    );
  });

  test("one changed, missing or added character is noticed without asking the database", () => {
    const change = fc.record({
      at: fc.nat({ max: 1_000 }),
      sign: fc.oneof(fc.constantFrom(...alphabet, "_", "-"), fc.string({ minLength: 1, maxLength: 1 })),
      how: fc.constantFrom("replace", "insert", "remove"),
    });
    fc.assert(
      fc.property(token, change, (given, { at, sign, how }) => {
        const written = writeToken(given);
        const place = at % written.length;
        const changed =
          written.slice(0, place) +
          (how === "remove" ? "" : sign) +
          written.slice(how === "insert" ? place : place + 1);
        fc.pre(changed !== written);
        expect(readToken(changed)).toBeUndefined();
      }),
      { numRuns: 2_000 },
    );
  });

  test.each(["", "spec_sk_", "spec_sk__", `spec_ut_${"0".repeat(20)}`, "x".repeat(10_000)])(
    "%j is no token",
    (wrong) => {
      expect(readToken(wrong)).toBeUndefined();
    },
  );

  test("tells what it is for at its start", async () => {
    const user = await userToken("svc:user");
    expect([user.token.slice(0, 8), user.refreshToken.slice(0, 8)]).toEqual(["spec_ut_", "spec_rt_"]);
  });
});

describe("user tokens", () => {
  test("are issued with the times at which they end", async () => {
    const { userId } = await userToken("svc:user");
    const answer = await call({ method: "POST", url: `/api/v1/users/${userId}/tokens` });
    expect(answer.statusCode).toBe(201);
    expect(answer.json<Tokens>()).toEqual({
      user_id: userId,
      token: expect.stringMatching(/^spec_ut_/),
      expires_at: new Date(clock.now().getTime() + 12 * hourMs).toISOString(),
      refresh_token: expect.stringMatching(/^spec_rt_/),
      refresh_expires_at: new Date(clock.now().getTime() + 30 * 24 * hourMs).toISOString(),
    });
  });

  test("end after 12 hours, to the moment", async () => {
    const { token } = await userToken("svc:user");
    expect(await works(token)).toBe(true);
    clock.advance(12 * hourMs - 1);
    expect(await works(token)).toBe(true);
    clock.advance(1);
    expect(await works(token)).toBe(false);
  });

  test("of the administrator do not end", async () => {
    clock.advance(10 * 365 * 24 * hourMs);
    expect(await works(adminToken)).toBe(true);
  });

  test("are not issued to a user that does not exist", async () => {
    const answer = await call({ method: "POST", url: "/api/v1/users/usr_00000000000000000000/tokens" });
    expect(answer.statusCode).toBe(404);
  });
});

describe("refreshing", () => {
  test("gives a new pair for a refresh token, which then is used up", async () => {
    const user = await userToken("svc:user");
    clock.advance(13 * hourMs);
    const answer = await refresh(user.refreshToken);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers["cache-control"]).toBe("no-store");
    const tokens = answer.json<Tokens>();
    expect(tokens.user_id).toBe(user.userId);
    expect([await works(user.token), await works(tokens.token)]).toEqual([false, true]);
    expect((await refresh(tokens.refresh_token)).statusCode).toBe(200);
    const again = await refresh(user.refreshToken);
    expect(again.statusCode).toBe(401);
    expect(again.headers["www-authenticate"]).toContain('error="invalid_token"');
  });

  test("succeeds for exactly one of many concurrent requests with the same token", async () => {
    const { refreshToken } = await userToken("svc:user");
    const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(refreshToken, "10.0.0.2")));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, ...Array(9).fill(401)]);
  });

  test("is over after 30 days, to the moment", async () => {
    const [early, late] = [await userToken("svc:user"), await userToken("svc:user")];
    clock.advance(30 * 24 * hourMs - 1);
    expect((await refresh(early.refreshToken)).statusCode).toBe(200);
    clock.advance(1);
    expect((await refresh(late.refreshToken)).statusCode).toBe(401);
  });

  test("is not possible with an access token or with garbage", async () => {
    const { token } = await userToken("svc:user");
    for (const wrong of [token, "garbage", `spec_rt_${"0".repeat(79)}`]) {
      expect((await refresh(wrong)).statusCode).toBe(401);
    }
  });

  test("by guessing is slowed down, while a good token from the same address still works", async () => {
    const { refreshToken } = await userToken("svc:user");
    const statuses: number[] = [];
    for (let i = 0; i < 32; i += 1) statuses.push((await refresh("guess", "10.0.0.3")).statusCode);
    expect(statuses).toEqual([...Array(30).fill(401), 429, 429]);
    expect((await refresh(refreshToken, "10.0.0.3")).statusCode).toBe(200);
  });
});

describe("guessing tokens", () => {
  const guess = (remoteAddress: string, token = "guess") => call({ url: "/api/v1/projects", token, remoteAddress });

  test("is answered with 429 after 30 wrong ones a minute from an address; good tokens are not slowed down", async () => {
    const { token } = await userToken("svc:user");
    for (let i = 0; i < 30; i += 1) expect((await guess("10.0.0.1")).statusCode).toBe(401);
    const refused = await guess("10.0.0.1");
    expect(refused.json()).toMatchObject({ status: 429, code: "rate_limited" });
    const seconds = Number(refused.headers["retry-after"]);
    expect(seconds).toBeGreaterThan(0);
    expect(seconds).toBeLessThanOrEqual(60);
    expect((await guess("10.0.0.1", token)).statusCode).toBe(200);
    expect((await guess("10.0.0.9")).statusCode).toBe(401);
    clock.advance(seconds * 1000);
    expect((await guess("10.0.0.1")).statusCode).toBe(401);
  });

  test("from many addresses of one IPv6 network, or from one IPv4 address in two writings, is one guesser's", async () => {
    for (let i = 0; i < 30; i += 1) expect((await guess(`2001:db8:0:7::${i.toString(16)}`)).statusCode).toBe(401);
    expect((await guess("2001:db8:0:7:ffff::1")).statusCode).toBe(429);
    expect((await guess("2001:db8:0:8::1")).statusCode).toBe(401);
    for (let i = 0; i < 30; i += 1) expect((await guess("10.0.0.5")).statusCode).toBe(401);
    expect((await guess("::ffff:10.0.0.5")).statusCode).toBe(429);
    expect((await guess("::ffff:10.0.0.6")).statusCode).toBe(401);
  });

  test("a request without a token is no guess", async () => {
    for (let i = 0; i < 40; i += 1) {
      const answer = await call({ url: "/api/v1/projects", token: null, remoteAddress: "10.0.0.4" });
      expect(answer.statusCode).toBe(401);
    }
  });
});

describe("an Authorization header", () => {
  const withHeader = (authorization: string) =>
    call({ url: "/api/v1/projects", token: null, headers: { authorization } });

  test.each([
    "",
    "Bearer",
    "Bearer ",
    `Basic ${Buffer.from("a:b").toString("base64")}`,
    adminToken,
    `Bearer ${adminToken} ${adminToken}`,
    `Bearer ${adminToken}, Bearer ${adminToken}`,
    `Bearer "${adminToken}"`,
    `Bearer ${"a".repeat(501)}`,
    `Bearer\t${adminToken}`,
    "Bearer \u00e9",
  ])("that is malformed is refused with a challenge (%#)", async (header) => {
    const answer = await withHeader(header);
    expect(answer.statusCode).toBe(401);
    expect(answer.headers["www-authenticate"]).toMatch(/^Bearer realm="slipway"/);
    expect(answer.payload).not.toContain(adminToken);
  });

  test("is read whatever the case of its scheme", async () => {
    expect((await withHeader(`bearer ${adminToken}`)).statusCode).toBe(200);
  });
});

describe("users", () => {
  test("have names of their own, without spaces", async () => {
    const create = (name: string) =>
      call({ method: "POST", url: "/api/v1/users", payload: { name, role: "svc:user" } });
    const statuses: number[] = [];
    for (const name of ["ada@example.com", "ada@example.com", "a b", "", "a\u0000", "a\udfff"]) {
      statuses.push((await create(name)).statusCode);
    }
    expect(statuses).toEqual([201, 409, 422, 422, 422, 422]);
  });

  test("are listed newest first", async () => {
    clock.advance(1);
    const { userId } = await userToken("svc:readonly");
    const { users } = (await call({ url: "/api/v1/users?limit=1" })).json<{ users: unknown[] }>();
    expect(users).toEqual([
      {
        user_id: userId,
        name: expect.any(String),
        role: "svc:readonly",
        kind: "person",
        created_at: clock.now().toISOString(),
      },
    ]);
  });
});
