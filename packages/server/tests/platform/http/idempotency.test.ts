import { sessionHeader } from "@slipway/contract";
import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { removeExpired } from "../../../src/platform/http/index.ts";
import { holdChanges } from "../../support/hold-changes.ts";
import { createTestApp, smallDocument } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const { call, db, clock, adminToken, userToken, apiKey } = await createTestApp();

const send = (key: string, document = smallDocument(), { url = "/api/v1/projects", token = adminToken } = {}) =>
  call({
    method: "POST",
    url,
    token,
    headers: { "content-type": "application/yaml", "idempotency-key": key },
    payload: document,
  });
const makeKey = (key: string, name = "ci", token = adminToken) =>
  call({
    method: "POST",
    url: "/api/v1/auth/api-keys",
    token,
    headers: { "idempotency-key": key },
    payload: { name, scopes: ["projects:read"] },
  });
const idOf = (answer: { json<T>(): T }) => answer.json<{ project_id: string }>().project_id;
const projectsNamed = async (documentId: string) =>
  (await db.selectFrom("projects").select("id").where("document_id", "=", documentId).execute()).length;

describe("the same key and body", () => {
  test("get the first answer again, and nothing is done twice", async () => {
    const first = await send("once", smallDocument("once"));
    const second = await send("once", smallDocument("once"));
    expect([first.statusCode, second.statusCode]).toEqual([201, 201]);
    expect(second.payload).toBe(first.payload);
    expect(second.headers.location).toBe(first.headers.location);
    expect([first.headers["idempotency-replayed"], second.headers["idempotency-replayed"]]).toEqual([
      undefined,
      "true",
    ]);
    expect(await projectsNamed("once")).toBe(1);
    const id = idOf(first);
    const events = await db.selectFrom("events").select("id").where("project_id", "=", id).execute();
    const audit = await db.selectFrom("audit").select("id").where("target", "=", id).execute();
    expect([events.length, audit.length]).toEqual([1, 1]);
  });

  test("sent twenty times at once make exactly one project", async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => send("storm", smallDocument("storm"))));
    expect(await projectsNamed("storm")).toBe(1);
    const made = answers.filter(({ statusCode }) => statusCode === 201);
    expect(made.length).toBeGreaterThan(0);
    expect(new Set(made.map(idOf)).size).toBe(1);
    expect(made.filter(({ headers }) => headers["idempotency-replayed"] === undefined)).toHaveLength(1);
    for (const other of answers.filter((answer) => !made.includes(answer))) {
      expect(other.json()).toMatchObject({ status: 409, code: "request_in_flight" });
    }
  });

  test("are made anew after 24 hours, and not before", async () => {
    const first = idOf(await send("daily"));
    clock.advance(24 * 3600_000 - 1);
    expect(idOf(await send("daily"))).toBe(first);
    clock.advance(1);
    const later = await send("daily");
    expect(idOf(later)).not.toBe(first);
    expect(later.headers["idempotency-replayed"]).toBeUndefined();
    expect(idOf(await send("daily"))).toBe(idOf(later));
  });

  test("work for answers that are no project, too", async () => {
    const validate = () => send("checked", "id: [", { url: "/api/v1/specs/validate" });
    const [first, second] = [await validate(), await validate()];
    expect([first.statusCode, second.payload]).toEqual([200, first.payload]);
    expect(second.headers["idempotency-replayed"]).toBe("true");
  });
});

describe("a key that was used", () => {
  test("for another body or another query is refused with 422", async () => {
    await send("mixed", smallDocument("one"));
    const body = await send("mixed", smallDocument("two"));
    const query = await send("mixed", smallDocument("one"), { url: "/api/v1/projects?environment=x" });
    for (const answer of [body, query]) {
      expect(answer.json()).toMatchObject({ status: 422, code: "idempotency_mismatch" });
    }
    expect(await projectsNamed("two")).toBe(0);
  });

  test("by somebody else, or at another path, is another key", async () => {
    const user = await userToken("svc:user");
    const { key } = await apiKey(["projects:create"], user.token);
    const ids = [
      idOf(await send("shared")),
      idOf(await send("shared", smallDocument(), { token: user.token })),
      idOf(await send("shared", smallDocument(), { token: key })),
      idOf(await send("shared", smallDocument(), { url: "/v1/projects" })),
    ];
    expect(new Set(ids).size).toBe(4);
  });

  test("for a request that was refused may be used again", async () => {
    const broken = await send("retry", "id: [");
    expect(broken.statusCode).toBe(400);
    const invalid = await send("retry", "id: retry\n");
    expect(invalid.statusCode).toBe(422);
    const good = await send("retry", smallDocument("retry"));
    expect([good.statusCode, good.headers["idempotency-replayed"]]).toEqual([201, undefined]);
  });

  test("is stored until it expires, and then removed", async () => {
    await send("swept");
    const count = async () =>
      (await db.selectFrom("idempotency").select("key").where("key", "=", "swept").execute()).length;
    await removeExpired(db, new Date(clock.now().getTime() + 24 * 3600_000 - 1));
    expect(await count()).toBe(1);
    await removeExpired(db, new Date(clock.now().getTime() + 24 * 3600_000 + 1));
    expect(await count()).toBe(0);
  });
});

describe("while the first request is in flight", () => {
  const isClaimed = (key: string) =>
    db.selectFrom("idempotency").select("key").where("key", "=", key).executeTakeFirst();

  test("a second one is answered with 409 and when to come back; then it gets the first answer", async () => {
    const letGo = await holdChanges(db);
    const first = send("slow", smallDocument("slow"));
    await until(() => isClaimed("slow"));
    const second = await send("slow", smallDocument("slow"));
    expect(second.json()).toMatchObject({ status: 409, code: "request_in_flight" });
    expect(Number(second.headers["retry-after"])).toBeGreaterThan(0);
    const other = await send("slow", smallDocument("other"));
    expect(other.statusCode).toBe(422);
    await letGo();
    expect((await first).statusCode).toBe(201);
    expect(idOf(await send("slow", smallDocument("slow")))).toBe(idOf(await first));
    expect(await projectsNamed("slow")).toBe(1);
  });

  test("and was cut off with its node, the key is free again after a while", async () => {
    await send("orphan", smallDocument("orphan"));
    await sql`update idempotency set status = null, headers = null, body = null where key = 'orphan'`.execute(db);
    expect((await send("orphan", smallDocument("orphan"))).statusCode).toBe(409);
    clock.advance(90_001);
    expect((await send("orphan", smallDocument("orphan"))).statusCode).toBe(201);
  });
});

describe("an answer with a secret", () => {
  test("is replayed for ten minutes, then made anew", async () => {
    const first = await makeKey("secret");
    clock.advance(10 * 60_000 - 1);
    const second = await makeKey("secret");
    expect(second.payload).toBe(first.payload);
    expect(second.headers["idempotency-replayed"]).toBe("true");
    clock.advance(1);
    const third = await makeKey("secret");
    expect(third.statusCode).toBe(201);
    expect(third.payload).not.toBe(first.payload);
  });

  test("is stored encrypted", async () => {
    const { api_key, api_key_id } = (await makeKey("sealed")).json<{ api_key: string; api_key_id: string }>();
    const row = await db.selectFrom("idempotency").selectAll().where("key", "=", "sealed").executeTakeFirstOrThrow();
    expect(row.is_encrypted).toBe(true);
    for (const text of [api_key, api_key_id, "projects:read"]) expect(row.body?.includes(text)).toBe(false);
    expect(JSON.stringify(row.headers)).not.toContain(api_key);
  });

  test("is stored encrypted with its cookies, which are sessions, and is replayed with them", async () => {
    const { code } = (await call({ method: "POST", url: "/api/v1/auth/sign-in-codes" })).json<{ code: string }>();
    const host = "slipway.example";
    const headers = { host, origin: `http://${host}`, [sessionHeader]: "1", "idempotency-key": "cookie" };
    const payload = { credential: code };
    const signIn = () => call({ method: "POST", url: "/api/v1/auth/session", token: null, headers, payload });
    const first = await signIn();
    const [session = ""] = /spec_ss_\w+/.exec(String(first.headers["set-cookie"])) ?? [];
    expect(session).not.toBe("");
    const row = await db.selectFrom("idempotency").selectAll().where("key", "=", "cookie").executeTakeFirstOrThrow();
    expect(JSON.stringify(row)).not.toContain(session);
    const again = await signIn();
    expect(again.headers["idempotency-replayed"]).toBe("true");
    expect(again.headers["set-cookie"]).toBe(first.headers["set-cookie"]);
  });

  test("is replayed to its owner only", async () => {
    const user = await userToken("svc:user");
    const mine = await makeKey("own");
    const theirs = await makeKey("own", "ci", user.token);
    expect(theirs.statusCode).toBe(201);
    expect(theirs.payload).not.toBe(mine.payload);
  });

  test("of a refresh is repeated to a client that lost it, without using the token twice", async () => {
    const { refreshToken } = await userToken("svc:user");
    const refresh = (remoteAddress: string) =>
      call({
        method: "POST",
        url: "/api/v1/auth/refresh",
        token: null,
        remoteAddress,
        headers: { "idempotency-key": "lost" },
        payload: { refresh_token: refreshToken },
      });
    const [first, second, elsewhere] = [
      await refresh("10.1.0.1"),
      await refresh("10.1.0.1"),
      await refresh("10.1.0.2"),
    ];
    expect([first.statusCode, second.payload, elsewhere.statusCode]).toEqual([200, first.payload, 401]);
  });
});

test.each([
  ["empty", ""],
  ["too long", "x".repeat(256)],
  ["with a space", "a b"],
  ["not ASCII", "clé"],
])("a key that is %s is refused with 400", async (_, key) => {
  const answer = await send(key, smallDocument("bad-key"));
  expect(answer.json()).toMatchObject({ status: 400, code: "invalid_parameter" });
  expect(await projectsNamed("bad-key")).toBe(0);
});

test("a key of 255 characters is taken", async () => {
  expect((await send("x".repeat(255))).statusCode).toBe(201);
});

test("requests that change nothing do not mind a key", async () => {
  const read = () => call({ url: "/api/v1/projects?limit=1", headers: { "idempotency-key": "read" } });
  const [first, second] = [await read(), await read()];
  expect([first.statusCode, second.statusCode, second.headers["idempotency-replayed"]]).toEqual([200, 200, undefined]);
});
