import { expect, test } from "vitest";
import { addRateCounts, OpenWaits, RateLimiter } from "../../../src/platform/http/index.ts";
import { createTestApp } from "../../support/test-app.ts";

const service = await createTestApp({ requestsPerMinute: 5, requestsPerMinuteOfUser: 8 });
const { call, db, clock, userToken, apiKey } = service;
const shared = await createTestApp({ requestsPerMinute: 5, databaseUrl: "set" });

const otherUser = userToken("svc:user");

const freshMinute = () => clock.advance(60_000 - (clock.now().getTime() % 60_000));
const list = (token: string) => call({ url: "/api/v1/projects", token });

test("every answer tells the limit and what is left of it; beyond it is 429 until the minute is over", async () => {
  freshMinute();
  const { token } = await userToken("svc:user");
  const left: unknown[] = [];
  for (let i = 0; i < 5; i += 1) {
    const { statusCode, headers } = await list(token);
    expect(statusCode).toBe(200);
    expect(headers["ratelimit-policy"]).toBe('"default";q=5;w=60');
    left.push(headers["ratelimit"]);
  }
  expect(left).toEqual([4, 3, 2, 1, 0].map((r) => `"default";r=${r};t=60`));
  clock.advance(12_500);
  const refused = await list(token);
  expect(refused.json()).toMatchObject({ status: 429, code: "rate_limited" });
  expect(refused.headers).toMatchObject({ "retry-after": "48", ratelimit: '"default";r=0;t=48' });
  clock.advance(48_000);
  expect((await list(token)).statusCode).toBe(200);
});

test("each user and each key has a limit of its own", async () => {
  freshMinute();
  const { token } = await userToken("svc:user");
  const { key } = await apiKey(["projects:read"], token);
  for (let i = 0; i < 4; i += 1) await list(token);
  expect((await list(token)).statusCode).toBe(429);
  expect((await list(key)).statusCode).toBe(200);
});

test("what is open has no limit by token, and is not counted", async () => {
  for (let i = 0; i < 10; i += 1) {
    const { statusCode, headers } = await call({ url: "/healthz" });
    expect([statusCode, headers["ratelimit"]]).toEqual([200, undefined]);
  }
});

test("nodes that exchange their counts know of each other's requests", async () => {
  const [one, other] = [
    new RateLimiter(clock, { caller: 10, user: 100 }),
    new RateLimiter(clock, { caller: 10, user: 100 }),
  ];
  const exchange = (start: Date, counts: ReadonlyMap<string, number>) => addRateCounts(db, start, counts);
  const headers: Record<string, unknown> = {};
  const reply = { header: (name: string, value: unknown) => Object.assign(headers, { [name]: value }) } as never;
  const take = (limiter: RateLimiter, times: number) => {
    for (let i = 0; i < times; i += 1) limiter.take({ id: "caller", userId: "usr_1" }, reply);
  };
  freshMinute();
  take(one, 6);
  take(other, 3);
  await one.share(exchange);
  await other.share(exchange);
  take(other, 1);
  expect(headers["ratelimit"]).toBe('"default";r=0;t=60');
  expect(() => take(other, 1)).toThrow("At most 10 requests a minute");
  take(one, 1);
  await one.share(exchange);
  expect(() => take(one, 1)).toThrow("At most 10 requests a minute");
  freshMinute();
  take(one, 10);
  take(other, 10);
});

test("what was counted while counts were exchanged is counted once", async () => {
  const limiter = new RateLimiter(clock, { caller: 10, user: 100 });
  const left: unknown[] = [];
  const reply = { header: (name: string, value: unknown) => name === "ratelimit" && left.push(value) } as never;
  freshMinute();
  limiter.take({ id: "busy", userId: "usr_2" }, reply);
  await limiter.share(async (start, counts) => {
    limiter.take({ id: "busy", userId: "usr_2" }, reply);
    return addRateCounts(db, start, counts);
  });
  limiter.take({ id: "busy", userId: "usr_2" }, reply);
  expect(left).toEqual([9, 8, 7].map((r) => `"default";r=${r};t=60`));
});

test("two nodes on one database share the limit by themselves", async () => {
  const other = await shared.anotherNode();
  const { token, userId } = await shared.userToken("svc:user");
  for (let i = 0; i < 4; i += 1) await shared.call({ url: "/api/v1/projects", token });
  const elsewhere = async () =>
    (await other.http.inject({ url: "/api/v1/projects", headers: { authorization: `Bearer ${token}` } })).statusCode;
  const counted = async () =>
    (await shared.db.selectFrom("rate_counts").select("count").where("key", "=", userId).executeTakeFirst())?.count;
  await expect.poll(counted).toBe(4);
  expect(await elsewhere()).toBe(200);
  await expect.poll(counted).toBe(5);
  // This node alone would let four more in.
  const seen = [await elsewhere(), await elsewhere()];
  expect(seen[1]).toBe(429);
});

test("all tokens and keys of a user together have a limit, too", async () => {
  freshMinute();
  const { token } = await userToken("svc:user");
  const keys = [(await apiKey(["projects:read"], token)).key, (await apiKey(["projects:read"], token)).key];
  freshMinute();
  const statuses: number[] = [];
  for (const key of keys) for (let i = 0; i < 5; i += 1) statuses.push((await list(key)).statusCode);
  // Each key stayed within its own five; the user has eight.
  expect(statuses).toEqual([...Array(8).fill(200), 429, 429]);
  const refused = await list(token);
  expect(refused.json()).toMatchObject({ status: 429, code: "rate_limited" });
  expect(refused.headers).toMatchObject({ "ratelimit-policy": '"user";q=8;w=60', ratelimit: '"user";r=0;t=60' });
  expect(refused.json<{ detail: string }>().detail).toContain("a user");
  expect((await list((await otherUser).token)).statusCode).toBe(200);
});

test("streams and waits of all keys of a user together have a limit, too", () => {
  const gauge = { inc: () => undefined, dec: () => undefined };
  const waits = new OpenWaits({ streams: gauge as never });
  const open = (key: number, userId = "usr_1") => waits.open({ id: `ak_${userId}_${key}`, userId });
  const opened = Array.from({ length: 100 }, (_, at) => open(at % 10));
  expect(() => open(10)).toThrow("At most 100 streams and waits of a user");
  open(10, "usr_2")[Symbol.dispose]();
  opened[0]![Symbol.dispose]();
  open(10)[Symbol.dispose]();
  for (let i = 0; i < 20; i += 1) open(0, "usr_3");
  expect(() => open(0, "usr_3")).toThrow("At most 20 streams and waits");
});
