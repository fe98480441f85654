import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { Authenticator } from "../../../src/features/auth/index.ts";
import { readToken } from "../../../src/features/auth/token-format.ts";
import { createTestApp } from "../../support/test-app.ts";

const { call, db, clock, keyring, http, userToken, apiKey, anotherNode } = await createTestApp();
const url = "/api/v1/auth/api-keys";
const dayMs = 24 * 3600_000;

interface CreatedKey {
  readonly api_key_id: string;
  readonly api_key: string;
  readonly scopes: string[];
  readonly created_at: string;
  readonly expires_at: string;
}

const inFuture = (ms: number) => new Date(clock.now().getTime() + ms).toISOString();
const create = (payload: object, token?: string) =>
  call({ method: "POST", url, payload, ...(token !== undefined && { token }) });
const works = async (key: string) => (await call({ url: "/api/v1/projects", token: key })).statusCode === 200;

describe("making a key", () => {
  test("answers 201 with exactly the members of the reference, and the key works", async () => {
    const expires_at = inFuture(7 * dayMs);
    const answer = await create({ name: "ci", scopes: ["projects:create", "projects:read"], expires_at });
    expect(answer.statusCode).toBe(201);
    const key = answer.json<CreatedKey>();
    expect(key).toEqual({
      api_key_id: expect.stringMatching(/^ak_[0-9a-hjkmnp-tv-z]{20}$/),
      api_key: expect.stringMatching(/^spec_sk_[0-9a-hjkmnp-tv-z]{20}_[0-9a-hjkmnp-tv-z]{58}$/),
      scopes: ["projects:create", "projects:read"],
      created_at: clock.now().toISOString(),
      expires_at,
    });
    expect(answer.headers["cache-control"]).toBe("no-store");
    expect(await works(key.api_key)).toBe(true);
  });

  test("without an end gives it 90 days, to the moment", async () => {
    const { expires_at, api_key } = (await create({ name: "ci", scopes: ["projects:read"] })).json<CreatedKey>();
    expect(expires_at).toBe(inFuture(90 * dayMs));
    clock.advance(90 * dayMs - 1);
    expect(await works(api_key)).toBe(true);
    clock.advance(1);
    expect(await works(api_key)).toBe(false);
  });

  test.each([
    ["in the past", -1],
    ["right now", 0],
    ["more than a year away", 365 * dayMs + 1],
  ])("refuses an end %s", async (_, ms) => {
    const answer = await create({ name: "ci", scopes: ["projects:read"], expires_at: inFuture(ms) });
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toMatchObject({ code: "invalid_body", errors: [{ pointer: "/expires_at" }] });
  });

  test("takes an end exactly a year away, and one with an offset", async () => {
    const year = inFuture(365 * dayMs);
    expect((await create({ name: "ci", scopes: ["projects:read"], expires_at: year })).statusCode).toBe(201);
    const shifted = new Date(clock.now().getTime() + dayMs + 2 * 3600_000).toISOString().replace("Z", "+02:00");
    const answer = await create({ name: "ci", scopes: ["projects:read"], expires_at: shifted });
    expect(answer.json<CreatedKey>().expires_at).toBe(inFuture(dayMs));
  });

  test.each([
    ["no name", { scopes: ["projects:read"] }, "/name"],
    ["an empty name", { name: "", scopes: ["projects:read"] }, "/name"],
    ["a name of spaces", { name: "  ", scopes: ["projects:read"] }, "/name"],
    ["a name with a NUL", { name: "a\u0000b", scopes: ["projects:read"] }, "/name"],
    ["a name with half a character", { name: "a\ud800b", scopes: ["projects:read"] }, "/name"],
    ["a name that is too long", { name: "x".repeat(101), scopes: ["projects:read"] }, "/name"],
    ["no scope", { name: "ci", scopes: [] }, "/scopes"],
    ["an unknown scope", { name: "ci", scopes: ["projects:read", "projects:own"] }, "/scopes/1"],
    ["a scope twice", { name: "ci", scopes: ["projects:read", "projects:read"] }, "/scopes"],
    ["scopes as one text", { name: "ci", scopes: "projects:read" }, "/scopes"],
    ["an end that is no time", { name: "ci", scopes: ["projects:read"], expires_at: "tomorrow" }, "/expires_at"],
    ["an end of null", { name: "ci", scopes: ["projects:read"], expires_at: null }, "/expires_at"],
    [
      "a leap second as its end",
      { name: "ci", scopes: ["projects:read"], expires_at: "2027-06-30T23:59:60Z" },
      "/expires_at",
    ],
  ])("refuses %s, and says where", async (_, body, pointer) => {
    const answer = await create(body);
    expect(answer.statusCode).toBe(422);
    expect(answer.json<{ errors: { pointer: string }[] }>().errors.map((error) => error.pointer)).toContain(pointer);
  });

  test("a name may hold any script and any sign", async () => {
    const name = "Нічна збірка 🚢 <b>\"'%_\\";
    const { api_key_id } = (await create({ name, scopes: ["projects:read"] })).json<CreatedKey>();
    const { api_keys } = (await call({ url })).json<{ api_keys: { api_key_id: string; name: string }[] }>();
    expect(api_keys.find((key) => key.api_key_id === api_key_id)?.name).toBe(name);
  });

  test("is not for keys", async () => {
    const { id, key } = await apiKey(["projects:create", "projects:read", "agents:manage"]);
    const requests = [
      () => create({ name: "child", scopes: ["projects:read"] }, key),
      () => call({ url, token: key }),
      () => call({ method: "DELETE", url: `${url}/${id}`, token: key }),
      () => call({ method: "POST", url: `${url}/${id}/rotate`, token: key, payload: {} }),
    ];
    for (const request of requests) {
      const answer = await request();
      expect(answer.statusCode).toBe(403);
      expect(answer.json<{ detail: string }>().detail).toContain("user token");
    }
  });
});

describe("listing keys", () => {
  test("shows one's own, newest first, page by page, and never a secret", async () => {
    const [mine, other] = [await userToken("svc:user"), await userToken("svc:user")];
    await apiKey(["projects:read"], other.token);
    const made: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      clock.advance(1);
      made.unshift((await apiKey(["projects:read"], mine.token)).id);
    }
    const seen: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const at: string = `${url}?limit=2${cursor === "" ? "" : `&cursor=${cursor}`}`;
      const answer = await call({ url: at, token: mine.token });
      const page = answer.json<{ api_keys: { api_key_id: string }[]; next_cursor: string | null }>();
      expect(answer.payload).not.toContain("spec_sk_");
      seen.push(...page.api_keys.map(({ api_key_id }) => api_key_id));
      cursor = page.next_cursor;
    }
    expect(seen).toEqual(made);
  });

  test("tells when a key was used last, and when it was revoked", async () => {
    const { token } = await userToken("svc:user");
    const { id, key } = await apiKey(["projects:read"], token);
    const find = async () =>
      (await call({ url, token }))
        .json<{ api_keys: Record<string, unknown>[] }>()
        .api_keys.find(({ api_key_id }) => api_key_id === id);
    expect(await find()).toEqual({
      api_key_id: id,
      name: "test",
      scopes: ["projects:read"],
      created_at: clock.now().toISOString(),
      expires_at: inFuture(90 * dayMs),
      team_id: null,
      last_used_at: null,
      revoked_at: null,
    });
    const authenticator = new Authenticator({ db, clock, keyring });
    await authenticator.authenticate(key);
    await authenticator.noteUse();
    expect(await find()).toMatchObject({ last_used_at: clock.now().toISOString() });
    await call({ method: "DELETE", url: `${url}/${id}`, token });
    expect(await find()).toMatchObject({ revoked_at: clock.now().toISOString() });
  });
});

describe("revoking a key", () => {
  test("of somebody else is for administrators only", async () => {
    const [owner, stranger] = [await userToken("svc:user"), await userToken("svc:user")];
    const { id, key } = await apiKey(["projects:read"], owner.token);
    expect((await call({ method: "DELETE", url: `${url}/${id}`, token: stranger.token })).statusCode).toBe(404);
    expect((await call({ url: "/api/v1/projects", token: key })).statusCode).toBe(200);
    expect((await call({ method: "DELETE", url: `${url}/${id}` })).statusCode).toBe(204);
    expect((await call({ url: "/api/v1/projects", token: key })).statusCode).toBe(401);
  });

  test("ends it at once, though it was just used", async () => {
    const { id, key } = await apiKey(["projects:read"]);
    expect(await works(key)).toBe(true);
    const revoked = await call({ method: "DELETE", url: `${url}/${id}` });
    expect([revoked.statusCode, revoked.payload]).toEqual([204, ""]);
    expect(await works(key)).toBe(false);
  });

  test("ends it on other nodes too", async () => {
    const other = await anotherNode();
    const { id, key } = await apiKey(["projects:read"]);
    const status = async () =>
      (await other.http.inject({ url: "/api/v1/projects", headers: { authorization: `Bearer ${key}` } })).statusCode;
    expect(await status()).toBe(200);
    await call({ method: "DELETE", url: `${url}/${id}` });
    // The clock stands still: nothing but the notification makes the other node forget.
    await expect.poll(status).toBe(401);
  });

  test("a second time is no error; of what is not there it is 404", async () => {
    const { id } = await apiKey(["projects:read"]);
    const statuses: number[] = [];
    for (const key of [id, id, "ak_00000000000000000000", "%20"]) {
      statuses.push((await call({ method: "DELETE", url: `${url}/${key}` })).statusCode);
    }
    expect(statuses).toEqual([204, 204, 404, 404]);
  });

  test("a node that missed a revocation heeds it within seconds, also when its clock is set back", async () => {
    const { id, key } = await apiKey(["projects:read"]);
    const authenticator = new Authenticator({ db, clock, keyring });
    expect(await authenticator.authenticate(key)).toBeDefined();
    await call({ method: "DELETE", url: `${url}/${id}` });
    clock.advance(-3600_000);
    expect(await authenticator.authenticate(key)).toBeUndefined();
    clock.advance(3600_000);
  });

  test("is not undone by a request whose lookup began before it and ended after it", async () => {
    const { id, key } = await apiKey(["projects:read"]);
    const authenticator = new Authenticator({ db, clock, keyring });
    const inFlight = authenticator.authenticate(key);
    authenticator.forget();
    await inFlight;
    await call({ method: "DELETE", url: `${url}/${id}` });
    expect(await authenticator.authenticate(key)).toBeUndefined();
  });
});

describe("rotating a key", () => {
  const rotate = (id: string, body: object = {}) => call({ method: "POST", url: `${url}/${id}/rotate`, payload: body });

  test("gives a new one with the same scopes and lifetime; for the overlap both work, then only the new one", async () => {
    const expires_at = inFuture(30 * dayMs);
    const old = (await create({ name: "ci", scopes: ["projects:read"], expires_at })).json<CreatedKey>();
    clock.advance(10 * dayMs);
    const answer = await rotate(old.api_key_id, { overlap_seconds: 3600 });
    expect(answer.statusCode).toBe(201);
    const made = answer.json<CreatedKey>();
    expect(made).toMatchObject({ scopes: ["projects:read"], expires_at: inFuture(30 * dayMs) });
    expect(made.api_key_id).not.toBe(old.api_key_id);
    const working = async () => [await works(old.api_key), await works(made.api_key)];
    expect(await working()).toEqual([true, true]);
    clock.advance(3600_000 - 1);
    expect(await working()).toEqual([true, true]);
    clock.advance(1);
    expect(await working()).toEqual([false, true]);
  });

  test("needs no body: the old key then works for another day", async () => {
    const { id } = await apiKey(["projects:read"]);
    expect((await call({ method: "POST", url: `${url}/${id}/rotate` })).statusCode).toBe(201);
  });

  test("overlaps for a day if nothing else is said", async () => {
    const { id, key } = await apiKey(["projects:read"]);
    await rotate(id);
    clock.advance(dayMs - 1);
    expect(await works(key)).toBe(true);
    clock.advance(1);
    expect(await works(key)).toBe(false);
  });

  test("without overlap ends the old one at once, though it was just used", async () => {
    const { id, key } = await apiKey(["projects:read"]);
    expect(await works(key)).toBe(true);
    await rotate(id, { overlap_seconds: 0 });
    expect(await works(key)).toBe(false);
  });

  test("does not let the old one live longer than it would have", async () => {
    const expires_at = inFuture(60_000);
    const old = (await create({ name: "ci", scopes: ["projects:read"], expires_at })).json<CreatedKey>();
    await rotate(old.api_key_id, { overlap_seconds: 3600 });
    clock.advance(60_000);
    expect(await works(old.api_key)).toBe(false);
  });

  test("refuses a key that has ended, one that is not there, and an overlap beyond a week", async () => {
    const { id } = await apiKey(["projects:read"]);
    const tooLong = await rotate(id, { overlap_seconds: 7 * 24 * 3600 + 1 });
    await call({ method: "DELETE", url: `${url}/${id}` });
    const ended = await rotate(id);
    const missing = await rotate("ak_00000000000000000000");
    expect([tooLong.statusCode, ended.statusCode, missing.statusCode]).toEqual([422, 409, 404]);
  });
});

test("no token and no secret stands anywhere in the database, in no form that opens a door", async () => {
  const user = await userToken("svc:user");
  const idempotent = await call({
    method: "POST",
    url,
    headers: { "idempotency-key": "kept" },
    payload: { name: "kept", scopes: ["projects:read"] },
  });
  const { key } = await apiKey(["projects:read"], user.token);
  const tokens = [user.token, user.refreshToken, key, idempotent.json<CreatedKey>().api_key];
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public'`.execute(db);
  expect(tables.map(({ name }) => name)).toContain("api_keys");
  let text = "";
  for (const { name } of tables) {
    const { rows } = await sql<{ row: string }>`select t::text as row from ${sql.table(name)} as t`.execute(db);
    text += rows.map(({ row }) => row).join("\n");
  }
  expect(text).toContain(user.userId);
  for (const token of tokens) {
    const secret = readToken(token)?.secret ?? "";
    expect(secret).toHaveLength(52);
    expect(text).not.toContain(secret);
    // Bytes are shown in hexadecimal.
    expect(text).not.toContain(Buffer.from(secret).toString("hex"));
  }
});

test("a key that was made with a master key which is gone is refused, not a failure", async () => {
  const { id, key } = await apiKey(["projects:read"]);
  await db.updateTable("api_keys").set({ key_version: 7 }).where("id", "=", id).execute();
  const answer = await http.inject({ url: "/api/v1/projects", headers: { authorization: `Bearer ${key}` } });
  expect(answer.statusCode).toBe(401);
});
