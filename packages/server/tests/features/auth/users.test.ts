import { join } from "node:path";
import type { Role } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { countUsers, ensureAdmin, rotateAdminToken } from "../../../src/features/auth/index.ts";
import { createProject, createTestApp, smallDocument } from "../../support/test-app.ts";

const service = await createTestApp({ apiKeysPerUser: 3 });
const { call, db, clock, http, adminToken, userToken, apiKey } = service;
const other = await service.anotherNode();
// Nothing is revoked here, so that no notification clears its cache.
const quiet = await createTestApp();

interface Entry {
  readonly action: string;
  readonly actor: string;
  readonly detail: Record<string, unknown>;
}

const read = (node: typeof http, token: string) =>
  node.inject({ url: "/api/v1/projects", headers: { authorization: `Bearer ${token}` } });
const statusOn = async (node: typeof http, token: string) => (await read(node, token)).statusCode;
const remove = (userId: string, token = adminToken) =>
  call({ method: "DELETE", url: `/api/v1/users/${userId}`, token });
const setRole = (userId: string, role: Role, token = adminToken) =>
  call({ method: "PATCH", url: `/api/v1/users/${userId}`, token, payload: { role } });
const endTokens = (userId: string, token = adminToken) =>
  call({ method: "DELETE", url: `/api/v1/users/${userId}/tokens`, token });
const refresh = (refreshToken: string) =>
  call({ method: "POST", url: "/api/v1/auth/refresh", token: null, payload: { refresh_token: refreshToken } });
const auditOf = async (target: string) => {
  const { entries } = (await call({ url: "/api/v1/audit?limit=100" })).json<{
    entries: (Entry & { target: string })[];
  }>();
  return entries
    .filter((entry) => entry.target === target)
    .map(({ action, actor, detail }) => ({ action, actor, detail }));
};
const adminId = async () =>
  (await db
    .selectFrom("users")
    .select("id")
    .where("name", "=", "admin")
    .where("removed_at", "is", null)
    .executeTakeFirst())!.id;

describe("removing a user", () => {
  test("ends their tokens and keys at once, on every node, and is in the audit log", async () => {
    const user = await userToken("svc:user");
    const { key } = await apiKey(["projects:read"], user.token);
    for (const node of [http, other.http])
      for (const token of [user.token, key]) expect(await statusOn(node, token)).toBe(200);
    expect((await remove(user.userId)).statusCode).toBe(204);
    for (const token of [user.token, key]) {
      expect(await statusOn(http, token)).toBe(401);
      // The other node has both in its cache, whose clock stands still: only the notification clears it.
      await expect.poll(() => statusOn(other.http, token)).toBe(401);
    }
    expect((await refresh(user.refreshToken)).statusCode).toBe(401);
    expect(await auditOf(user.userId)).toContainEqual({
      action: "user.remove",
      actor: await adminId(),
      detail: { name: expect.any(String), role: "svc:user", webhooks: [] },
    });
  });

  test("leaves their projects to the administrators", async () => {
    const user = await userToken("svc:user");
    const id = await createProject(service, smallDocument("left"), user.token);
    expect((await remove(user.userId)).statusCode).toBe(204);
    expect((await call({ url: `/api/v1/projects/${id}` })).statusCode).toBe(200);
    const cancelled = await call({ method: "POST", url: `/api/v1/projects/${id}/cancel`, payload: {} });
    expect(cancelled.statusCode).toBeLessThan(300);
    // Their documents may still run here, so the service does not count as its one user's alone.
    expect(await countUsers(db)).toBe(2);
  });

  test("disables their webhooks; nobody can enable one again", async () => {
    const user = await userToken("svc:user");
    const created = await call({
      method: "POST",
      url: "/api/v1/webhooks",
      token: user.token,
      payload: { url: "http://127.0.0.1:9/hook", events: ["*"], secret: "a secret of sixteen" },
    });
    const { webhook_id } = created.json<{ webhook_id: string }>();
    await remove(user.userId);
    const at = `/api/v1/webhooks/${webhook_id}`;
    expect((await call({ url: at })).json()).toMatchObject({
      status: "disabled",
      disabled_reason: expect.stringContaining("was removed"),
    });
    const enabled = await call({ method: "PATCH", url: at, payload: { status: "active" } });
    expect(enabled.json()).toMatchObject({ status: 409, detail: expect.stringContaining("create one of your own") });
    expect(await auditOf(user.userId)).toContainEqual(
      expect.objectContaining({ action: "user.remove", detail: expect.objectContaining({ webhooks: [webhook_id] }) }),
    );
    expect((await call({ method: "DELETE", url: at })).statusCode).toBe(204);
  });

  test("takes them off the list and frees their name, for a user who gets nothing of the old one's", async () => {
    const name = "leaving@example.com";
    const create = () => call({ method: "POST", url: "/api/v1/users", payload: { name, role: "svc:user" } });
    const { user_id: old } = (await create()).json<{ user_id: string }>();
    const { token } = (await call({ method: "POST", url: `/api/v1/users/${old}/tokens` })).json<{ token: string }>();
    const project = await createProject(service, smallDocument("old"), token);
    expect((await create()).statusCode).toBe(409);
    await remove(old);
    const again = await create();
    expect(again.statusCode).toBe(201);
    const { user_id: fresh } = again.json<{ user_id: string }>();
    const { users } = (await call({ url: "/api/v1/users?limit=100" })).json<{ users: { user_id: string }[] }>();
    expect(users.map(({ user_id }) => user_id)).toContain(fresh);
    expect(users.map(({ user_id }) => user_id)).not.toContain(old);
    const theirs = (await call({ method: "POST", url: `/api/v1/users/${fresh}/tokens` })).json<{ token: string }>();
    expect((await call({ url: `/api/v1/projects/${project}`, token: theirs.token })).statusCode).toBe(404);
  });

  test("is done once: afterwards there is no such user for any request", async () => {
    const { userId } = await userToken("svc:user");
    await remove(userId);
    const answers = [
      await remove(userId),
      await setRole(userId, "svc:admin"),
      await endTokens(userId),
      await call({ method: "POST", url: `/api/v1/users/${userId}/tokens` }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404, 404]);
  });
});

describe("changing a role", () => {
  test("takes effect at once on every node, for tokens and keys", async () => {
    const user = await userToken("svc:admin");
    const { key } = await apiKey(["agents:manage"], user.token);
    const admin = (node: typeof http) => statusOfList(node, user.token);
    const manage = async (node: typeof http) =>
      (
        await node.inject({
          method: "POST",
          url: "/api/v1/agents/none/restart",
          headers: { authorization: `Bearer ${key}` },
        })
      ).statusCode;
    for (const node of [http, other.http]) {
      expect(await admin(node)).toBe(200);
      expect(await manage(node)).not.toBe(403);
    }
    const answer = await setRole(user.userId, "svc:readonly");
    expect(answer.json()).toMatchObject({ user_id: user.userId, role: "svc:readonly" });
    expect([await admin(http), await manage(http)]).toEqual([403, 403]);
    // Each is polled for: the other node may have forgotten one of them already, for a user whom an earlier test ended.
    await expect.poll(() => admin(other.http)).toBe(403);
    await expect.poll(() => manage(other.http)).toBe(403);
    expect(await auditOf(user.userId)).toContainEqual(
      expect.objectContaining({ action: "user.change", detail: { role: "svc:readonly", old_role: "svc:admin" } }),
    );
  });

  test("is refused for a role that does not exist", async () => {
    const { userId } = await userToken("svc:user");
    expect((await setRole(userId, "svc:root" as Role)).statusCode).toBe(422);
  });
});

describe("the last administrator", () => {
  test("can be neither removed nor demoted", async () => {
    const id = await adminId();
    for (const refused of [await remove(id), await setRole(id, "svc:user")]) {
      expect(refused.json()).toMatchObject({ status: 409, detail: expect.stringContaining("last administrator") });
    }
    expect((await call({ url: "/api/v1/users" })).statusCode).toBe(200);
  });

  test("stays when administrators remove and demote each other at the same moment", async () => {
    const admins = [
      { userId: await adminId(), token: adminToken },
      await userToken("svc:admin"),
      await userToken("svc:admin"),
    ];
    const [first, second, third] = admins as [(typeof admins)[0], (typeof admins)[0], (typeof admins)[0]];
    const answers = await Promise.all([
      remove(second.userId, third.token),
      setRole(third.userId, "svc:user", second.token),
      setRole(second.userId, "svc:user", third.token),
      remove(third.userId, second.token),
    ]);
    expect(answers.map(({ statusCode }) => statusCode).filter((code) => code < 300).length).toBeGreaterThan(0);
    const left = await db
      .selectFrom("users")
      .select("id")
      .where("role", "=", "svc:admin")
      .where("removed_at", "is", null)
      .execute();
    // Who was removed or demoted by the time their own request got its turn could no longer do it.
    expect(left.map(({ id }) => id)).toContain(first.userId);
    expect(left).toHaveLength(2);
    for (const { id } of left) if (id !== first.userId) await remove(id);
  });
});

describe("the first administrator", () => {
  const file = join(service.dataFolder, "other-admin-token");
  const deps = { db, clock, keyring: service.keyring, file };

  test("who was removed does not come back by a restart, but by the command for the machine's operator", async () => {
    const [id, second] = [await adminId(), await userToken("svc:admin")];
    expect((await remove(id, second.token)).statusCode).toBe(204);
    await ensureAdmin(deps);
    expect(await statusOn(http, adminToken)).toBe(401);
    const { userId, token } = await rotateAdminToken(deps);
    expect(userId).not.toBe(id);
    expect(await statusOfList(http, token)).toBe(200);
    expect((await remove(second.userId, token)).statusCode).toBe(204);
    // The other tests go on with the token they know.
    await db.updateTable("users").set({ removed_at: clock.now() }).where("id", "=", userId).execute();
    await db.updateTable("users").set({ removed_at: null }).where("id", "=", id).execute();
    await db.updateTable("tokens").set({ revoked_at: null }).where("user_id", "=", id).execute();
  });

  test("who was demoted is an administrator again after that command", async () => {
    const [id, second] = [await adminId(), await userToken("svc:admin")];
    expect((await setRole(id, "svc:readonly", second.token)).statusCode).toBe(200);
    const { userId, token } = await rotateAdminToken(deps);
    expect(userId).toBe(id);
    expect(await statusOfList(http, token)).toBe(200);
    await remove(second.userId, token);
    await db.updateTable("tokens").set({ revoked_at: null }).where("user_id", "=", id).execute();
  });
});

describe("ending a user's tokens", () => {
  test("ends tokens and keys on every node; the user stays and can get new ones", async () => {
    const user = await userToken("svc:user");
    const { key } = await apiKey(["projects:read"], user.token);
    for (const token of [user.token, key]) expect(await statusOn(other.http, token)).toBe(200);
    expect((await endTokens(user.userId)).statusCode).toBe(204);
    for (const token of [user.token, key]) {
      expect(await statusOn(http, token)).toBe(401);
      await expect.poll(() => statusOn(other.http, token)).toBe(401);
    }
    expect((await refresh(user.refreshToken)).statusCode).toBe(401);
    expect(await auditOf(user.userId)).toContainEqual(expect.objectContaining({ action: "token.end" }));
    const { token } = (await call({ method: "POST", url: `/api/v1/users/${user.userId}/tokens` })).json<{
      token: string;
    }>();
    expect(await statusOn(http, token)).toBe(200);
  });

  test("leaves nothing that the same tokens make at the same moment", async () => {
    const user = await userToken("svc:user");
    const { key } = await apiKey(["projects:read"], user.token);
    expect(await statusOn(http, key)).toBe(200);
    await Promise.all([
      refresh(user.refreshToken),
      endTokens(user.userId),
      call({
        method: "POST",
        url: "/api/v1/auth/api-keys",
        token: user.token,
        payload: { name: "late", scopes: ["projects:read"] },
      }),
    ]);
    for (const table of ["tokens", "api_keys"] as const) {
      const live = db.selectFrom(table).select("id").where("user_id", "=", user.userId).where("revoked_at", "is", null);
      expect(await live.execute()).toEqual([]);
    }
  });

  test("leaves a node that still has the token in its cache unable to make a key, a user or a token", async () => {
    const { userId, token } = await quiet.userToken("svc:admin");
    expect(await statusOn(quiet.http, token)).toBe(200);
    // As if the notification were lost.
    await quiet.db.updateTable("tokens").set({ revoked_at: clock.now() }).where("user_id", "=", userId).execute();
    expect(await statusOn(quiet.http, token)).toBe(200);
    const at = `/api/v1/users/${userId}`;
    const attempts = [
      { url: "/api/v1/auth/api-keys", payload: { name: "late", scopes: ["projects:read"] } },
      { url: "/api/v1/users", payload: { name: "late", role: "svc:admin" } },
      { url: `${at}/tokens` },
      { url: at, method: "PATCH", payload: { role: "svc:user" } },
      { url: at, method: "DELETE" },
      { url: `${at}/tokens`, method: "DELETE" },
    ] as const;
    for (const attempt of attempts)
      expect((await quiet.call({ method: "POST", token, ...attempt })).statusCode, attempt.url).toBe(401);
    expect(await statusOn(quiet.http, token)).toBe(200);
  });
});

describe("a refresh token that is used twice", () => {
  test("ends every token that came of it, and no other", async () => {
    const user = await userToken("svc:user");
    const elsewhere = (await call({ method: "POST", url: `/api/v1/users/${user.userId}/tokens` })).json<{
      token: string;
    }>();
    const stolen = (await refresh(user.refreshToken)).json<{ token: string; refresh_token: string }>();
    const next = (await refresh(stolen.refresh_token)).json<{ token: string; refresh_token: string }>();
    for (const token of [user.token, stolen.token, next.token]) expect(await statusOn(other.http, token)).toBe(200);
    expect((await refresh(user.refreshToken)).statusCode).toBe(401);
    for (const token of [user.token, stolen.token, next.token]) {
      expect(await statusOn(http, token)).toBe(401);
      await expect.poll(() => statusOn(other.http, token)).toBe(401);
    }
    expect((await refresh(next.refresh_token)).statusCode).toBe(401);
    expect(await statusOn(http, elsewhere.token)).toBe(200);
    expect(await auditOf(user.userId)).toContainEqual(expect.objectContaining({ action: "token.reuse" }));
  });

  test("is only what has the right secret: a guessed one ends nothing", async () => {
    const user = await userToken("svc:user");
    const fresh = (await refresh(user.refreshToken)).json<{ token: string; refresh_token: string }>();
    const [, id = ""] = /^spec_rt_(.{20})_/.exec(user.refreshToken) ?? [];
    const { writeToken, newSecret } = await import("../../../src/features/auth/token-format.ts");
    expect((await refresh(writeToken({ kind: "refresh", id, secret: newSecret() }))).statusCode).toBe(401);
    expect(await statusOn(http, fresh.token)).toBe(200);
  });
});

describe("keys of a user", () => {
  const create = (token: string) =>
    call({
      method: "POST",
      url: "/api/v1/auth/api-keys",
      token,
      payload: { name: "one more", scopes: ["projects:read"] },
    });

  test("are at most as many as the setting says, also when they are created at once", async () => {
    const { token } = await userToken("svc:user");
    const answers = await Promise.all(Array.from({ length: 6 }, () => create(token)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 201, 201, 409, 409, 409]);
    const refused = await create(token);
    expect(refused.json<{ detail: string }>().detail).toBe(
      "There are 3 API keys already, the most a user may have. Revoke one first.",
    );
    const [made] = answers
      .filter(({ statusCode }) => statusCode === 201)
      .map((answer) => answer.json<{ api_key_id: string }>());
    const at = `/api/v1/auth/api-keys/${made!.api_key_id}`;
    const rotate = (overlap_seconds: number) =>
      call({ method: "POST", url: `${at}/rotate`, token, payload: { overlap_seconds } });
    // While both work there would be one too many.
    expect((await rotate(60)).statusCode).toBe(409);
    const rotated = await rotate(0);
    expect(rotated.statusCode).toBe(201);
    const { api_key_id } = rotated.json<{ api_key_id: string }>();
    await call({ method: "DELETE", url: `/api/v1/auth/api-keys/${api_key_id}`, token });
    expect((await create(token)).statusCode).toBe(201);
  });
});

async function statusOfList(node: typeof http, token: string): Promise<number> {
  return (await node.inject({ url: "/api/v1/users", headers: { authorization: `Bearer ${token}` } })).statusCode;
}
