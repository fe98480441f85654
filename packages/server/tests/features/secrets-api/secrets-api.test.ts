import type { Secret } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp();
const url = (name: string, query = "") => `/api/v1/secrets/${name}${query}`;
const set = (name: string, value: string, more: { query?: string; token?: string } = {}) =>
  app.call({
    method: "PUT",
    url: url(name, more.query),
    payload: { value },
    ...(more.token !== undefined && { token: more.token }),
  });
const list = async (token?: string) =>
  (await app.call({ url: "/api/v1/secrets", ...(token !== undefined && { token }) })).json<{ secrets: Secret[] }>()
    .secrets;
const value = "correct horse battery staple";

describe("secrets of the provider 'slipway'", () => {
  test("are set, listed and removed, and no answer holds a value", async () => {
    const answers = [
      await set("DATABASE_URL", value),
      await set("DATABASE_URL", `${value} 2`),
      await app.call({ url: url("DATABASE_URL") }),
      await app.call({ url: "/api/v1/secrets" }),
      await app.call({ url: "/api/v1/audit" }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200]);
    for (const { body, headers } of answers) expect(body + JSON.stringify(headers)).not.toContain("horse");
    expect(await list()).toMatchObject([{ name: "DATABASE_URL", is_shared: false }]);
    expect((await app.call({ method: "DELETE", url: url("DATABASE_URL") })).statusCode).toBe(204);
    expect((await app.call({ method: "DELETE", url: url("DATABASE_URL") })).statusCode).toBe(404);
    expect((await app.call({ url: url("DATABASE_URL") })).statusCode).toBe(404);
    const { entries } = (await app.call({ url: "/api/v1/audit" })).json<{ entries: { action: string }[] }>();
    const actions = entries.map(({ action }) => action).filter((action) => action.startsWith("secret."));
    expect(actions.sort()).toEqual(["secret.remove", "secret.set", "secret.set"]);
  });

  test("stand encrypted in the database, each for its own place", async () => {
    await set("AT_REST", value);
    const row = await app.db.selectFrom("secrets").selectAll().where("name", "=", "AT_REST").executeTakeFirstOrThrow();
    expect(row.value.includes(Buffer.from("horse"))).toBe(false);
    // Whoever can write to the database still cannot have another's document read it.
    await app.db
      .insertInto("secrets")
      .values({ ...row, id: "0".repeat(20), name: "MOVED" })
      .execute();
    const plan = await dryRun({ provider: "slipway", required: ["MOVED"] });
    expect(plan.secrets).toMatchObject([
      {
        is_found: false,
        reason:
          "Unable to authenticate with secret provider 'slipway': the secret 'MOVED' was not stored by this service.",
      },
    ]);
  });

  test("belong to who set them; administrators share some with everybody", async () => {
    const ada = await app.userToken("svc:user");
    const bob = await app.userToken("svc:user");
    await set("ONLY_ADAS", value, ada);
    await set("FOR_ALL", value, { query: "?shared=true" });
    const asked = { provider: "slipway", required: ["ONLY_ADAS", "FOR_ALL"] };
    const foundBy = async (token: string) =>
      (await dryRun(asked, token)).secrets.filter(({ is_found }) => is_found).map(({ name }) => name);
    expect(await foundBy(ada.token)).toEqual(["ONLY_ADAS", "FOR_ALL"]);
    expect(await foundBy(bob.token)).toEqual(["FOR_ALL"]);
    expect(await foundBy(app.adminToken)).toEqual(["FOR_ALL"]);
    expect((await list(bob.token)).map(({ name }) => name)).toEqual(["FOR_ALL"]);
    expect((await set("FOR_ALL", "x", { query: "?shared=true", token: bob.token })).statusCode).toBe(403);
    const remove = { method: "DELETE", url: url("FOR_ALL", "?shared=true"), token: bob.token } as const;
    expect((await app.call(remove)).statusCode).toBe(403);
    expect((await app.call({ ...remove, url: url("ONLY_ADAS") })).statusCode).toBe(404);
  });

  test("need a user token of a user who may make projects", async () => {
    const reader = await app.userToken("svc:readonly");
    const { key } = await app.apiKey(["projects:create", "projects:read"]);
    for (const token of [reader.token, key]) {
      expect((await set("KEY", value, { token })).statusCode).toBe(403);
      expect((await app.call({ url: "/api/v1/secrets", token })).statusCode).toBe(403);
    }
  });

  test("are refused with a bad name or value, without repeating the value", async () => {
    for (const name of ["SLIPWAY_MASTER_KEY", "a%20b", "-x", "%2e%2e%2fetc", "A".repeat(101)])
      expect([400, 404]).toContain((await set(name, value)).statusCode);
    for (const bad of ["", "x".repeat(70_000), `${value}\0`]) {
      const answer = await set("KEY", bad);
      expect(answer.statusCode).toBe(422);
      expect(answer.body).not.toContain(value);
    }
  });

  test("that are missing are all named before anything starts, with the commands that set them", async () => {
    await set("HERE", value);
    const asked = { provider: "slipway", required: ["HERE", "GONE_1", "GONE_2"], optional: ["MAYBE"] };
    expect((await dryRun(asked)).secrets).toEqual([
      { name: "HERE", provider: "slipway", is_required: true, is_found: true, reason: null, remedy: null },
      missing("GONE_1", true),
      missing("GONE_2", true),
      missing("MAYBE", false),
    ]);
  });
});

const missing = (name: string, is_required: boolean) => ({
  name,
  provider: "slipway",
  is_required,
  is_found: false,
  reason: `${is_required ? "Required" : "Optional"} secret '${name}' not found in provider 'slipway'`,
  remedy: `Set it: slipway secrets set ${name}`,
});

interface Foreseen {
  readonly secrets: readonly { readonly name: string; readonly is_found: boolean; readonly reason: string | null }[];
  readonly unmet: readonly { readonly pointer: string }[];
}

async function dryRun(secrets: object, token = app.adminToken): Promise<Foreseen> {
  const payload = JSON.stringify({
    ...{ spec_version: "1.0.0", id: "hello", name: "Hello", description: "Says hello.", outcome_type: "api" },
    ...{ stack: {}, acceptance: {}, secrets },
  });
  const headers = { "content-type": "application/yaml" };
  return (
    await app.call({ method: "POST", url: "/api/v1/projects?dry_run=true", headers, payload, token })
  ).json<Foreseen>();
}
