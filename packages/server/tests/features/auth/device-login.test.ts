import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp({ publicUrl: "https://slipway.example" });
const { call, clock, userToken } = app;
const url = "/api/v1/auth/device";

interface Begun {
  readonly device_code: string;
  readonly user_code: string;
}

const begin = async (device = "slipway on build-7") =>
  (await call({ method: "POST", url, token: null, payload: { device } })).json<Begun>();
const poll = (device_code: string) =>
  call({ method: "POST", url: `${url}/token`, token: null, payload: { device_code } });
const decide = (code: string, decision: "approve" | "deny", token?: string) =>
  call({ method: "POST", url: `${url}/${code}`, payload: { decision }, ...(token && { token }) });
const codeOf = async (device_code: string) => (await poll(device_code)).json<{ code: string }>().code;

describe("a device", () => {
  test("is told where somebody lets it in, waits, and gets tokens of that user, once", async () => {
    const answer = (await call({ method: "POST", url, token: null, payload: {} })).json<Begun>();
    expect(answer).toEqual({
      device_code: expect.stringMatching(/^spec_dc_/),
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
      verification_uri: "https://slipway.example/device",
      verification_uri_complete: `https://slipway.example/device?code=${answer.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    const { userId, token } = await userToken("svc:user");
    expect(await codeOf(answer.device_code)).toBe("authorization_pending");
    expect(await codeOf(answer.device_code)).toBe("slow_down");
    clock.advance(5_000);
    expect(await codeOf(answer.device_code)).toBe("authorization_pending");
    expect((await decide(answer.user_code.toLowerCase().replace("-", " "), "approve", token)).statusCode).toBe(204);
    const answers = await Promise.all([poll(answer.device_code), poll(answer.device_code), poll(answer.device_code)]);
    const issued = answers.filter(({ statusCode }) => statusCode === 200);
    expect(issued).toHaveLength(1);
    const tokens = issued[0]!.json<{ user_id: string; token: string }>();
    expect(tokens.user_id).toBe(userId);
    expect((await call({ url: "/api/v1/projects", token: tokens.token })).statusCode).toBe(200);
    expect(await codeOf(answer.device_code)).toBe("expired_token");
  });

  test("is shown with where it is to who lets it in, and to nobody without a token", async () => {
    const { user_code } = await begin("slipway on build-7");
    expect((await call({ url: `${url}/${user_code}` })).json()).toMatchObject({
      device: "slipway on build-7",
      address: "127.0.0.1",
    });
    expect((await call({ url: `${url}/${user_code}`, token: null })).statusCode).toBe(401);
    const { key } = await app.apiKey(["projects:read"]);
    expect((await decide(user_code, "approve", key)).statusCode).toBe(403);
  });

  test("that is refused, or comes too late, stays out", async () => {
    const refused = await begin();
    await decide(refused.user_code, "deny");
    expect(await codeOf(refused.device_code)).toBe("access_denied");
    expect((await decide(refused.user_code, "approve")).statusCode).toBe(404);
    const late = await begin();
    clock.advance(600_000);
    expect((await decide(late.user_code, "approve")).statusCode).toBe(404);
    expect(await codeOf(late.device_code)).toBe("expired_token");
  });

  test("gets nothing if the user was removed, or had their tokens ended, meanwhile", async () => {
    const { userId, token } = await userToken("svc:user");
    const { user_code, device_code } = await begin();
    await decide(user_code, "approve", token);
    await call({ method: "DELETE", url: `/api/v1/users/${userId}` });
    expect(await codeOf(device_code)).toBe("access_denied");
  });

  test("cannot guess: its code is no token, and wrong ones are counted", async () => {
    const { device_code } = await begin();
    expect((await call({ url: "/api/v1/projects", token: device_code })).statusCode).toBe(401);
    const remoteAddress = "10.7.7.7";
    const guess = () =>
      call({ method: "POST", url: `${url}/token`, token: null, remoteAddress, payload: { device_code: "spec_dc_x" } });
    for (let tries = 0; tries < 30; tries += 1) expect((await guess()).statusCode).toBe(400);
    expect((await guess()).statusCode).toBe(429);
    const codes = await Promise.all(
      Array.from({ length: 31 }, () => call({ url: `${url}/BCDF-GHJK`, remoteAddress: "10.7.7.8" })),
    );
    expect(codes.map(({ statusCode }) => statusCode)).toContain(429);
  });

  test("does not begin endlessly", async () => {
    const remoteAddress = "10.7.7.9";
    const again = () => call({ method: "POST", url, token: null, remoteAddress, payload: {} });
    for (let tries = 0; tries < 60; tries += 1) await again();
    expect((await again()).statusCode).toBe(429);
  });
});

describe("sign-ins", () => {
  test("are listed with device, address and last use, and each can be ended", async () => {
    const { token } = await userToken("svc:user");
    // What happens in the same millisecond has no order.
    clock.advance(1);
    const { user_code, device_code } = await begin("slipway on laptop");
    await decide(user_code, "approve", token);
    const tokens = (await poll(device_code)).json<{ token: string; refresh_token: string }>();
    const list = async () =>
      (await call({ url: "/api/v1/auth/sessions", token })).json<{
        sessions: { session_id: string; device: string | null; is_current: boolean }[];
      }>().sessions;
    const [login, own] = await list();
    expect(login).toMatchObject({
      kind: "token",
      device: "slipway on laptop",
      address: "127.0.0.1",
      is_current: false,
    });
    expect(own).toMatchObject({ is_current: true, device: null });
    const end = `/api/v1/auth/sessions/${login!.session_id}`;
    // Somebody else's sign-ins are not there.
    expect((await call({ method: "DELETE", url: end })).statusCode).toBe(404);
    expect((await call({ method: "DELETE", url: end, token })).statusCode).toBe(204);
    expect((await call({ url: "/api/v1/projects", token: tokens.token })).statusCode).toBe(401);
    const payload = { refresh_token: tokens.refresh_token };
    expect((await call({ method: "POST", url: "/api/v1/auth/refresh", token: null, payload })).statusCode).toBe(401);
    expect(await list()).toHaveLength(1);
    expect((await call({ method: "DELETE", url: "/api/v1/auth/sessions/current", token })).statusCode).toBe(204);
    expect((await call({ url: "/api/v1/projects", token })).statusCode).toBe(401);
  });
});
