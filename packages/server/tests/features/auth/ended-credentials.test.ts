import { expect, test } from "vitest";
import { removeEnded } from "../../../src/features/auth/index.ts";
import { createTestApp } from "../../support/test-app.ts";

const { call, db, clock, apiKey, userToken } = await createTestApp();
const day = 24 * 3600_000;
const scopes = ["projects:read"] as const;

test("keys and tokens are removed thirty days after they ended, and not before", async () => {
  const { userId } = await userToken("svc:user");
  const [revoked, expiring, lasting] = [await apiKey(scopes), await apiKey(scopes), await apiKey(scopes)].map(
    ({ id }) => id,
  );
  await call({ method: "DELETE", url: `/api/v1/auth/api-keys/${revoked}` });
  const inTwoYears = new Date(clock.now().getTime() + 730 * day);
  await db.updateTable("api_keys").set({ expires_at: inTwoYears }).where("id", "=", lasting!).execute();
  const inTenDays = new Date(clock.now().getTime() + 10 * day);
  await db.updateTable("api_keys").set({ expires_at: inTenDays }).where("id", "=", expiring!).execute();
  await db.updateTable("tokens").set({ expires_at: inTenDays }).where("user_id", "=", userId).execute();
  const left = async () => {
    await removeEnded(db, clock.now());
    const keys = await db.selectFrom("api_keys").select("id").orderBy("id").execute();
    const tokens = await db.selectFrom("tokens").select("id").where("user_id", "=", userId).execute();
    return { keys: new Set(keys.map(({ id }) => id)), tokens: tokens.length };
  };

  clock.advance(30 * day);
  expect(await left()).toEqual({ keys: new Set([revoked, expiring, lasting]), tokens: 2 });
  clock.advance(1);
  expect(await left()).toEqual({ keys: new Set([expiring, lasting]), tokens: 2 });
  clock.advance(10 * day);
  expect(await left()).toEqual({ keys: new Set([lasting]), tokens: 0 });
});

test("the administrator's token, which does not expire, stays", async () => {
  clock.advance(1_000 * day);
  await removeEnded(db, clock.now());
  expect((await call({ url: "/api/v1/projects" })).statusCode).toBe(200);
});
