import { sql } from "kysely";
import { pino } from "pino";
import { beforeAll, describe, expect, test } from "vitest";
import { unseal } from "../../../src/features/oauth/sealed-json.ts";
import { startCiIssuer } from "../../support/oauth/ci-issuer.ts";
import { startOidcServer } from "../../support/oauth/oidc-server.ts";
import { publicUrl, TestBrowser } from "../../support/oauth/sign-in-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

const clientSecret = "sesame-of-the-provider-4711";
const oidc = await startOidcServer([`${publicUrl}/sign-in/sso`]);
const ci = await startCiIssuer();
oidc.accounts.set("ada", { preferred_username: "ada", realm: { roles: ["developer"] } });
const lines: string[] = [];
const app = await createTestApp({
  publicUrl,
  oauth: {
    declared: {
      ...{ provider: "custom", name: "sso", issuer: oidc.issuer, client_id: "slipway", client_secret: clientSecret },
      ...{ roles_at: "/realm/roles", role_mapping: { developer: "svc:user" } },
    },
    file: "slipway.yaml",
  },
  federation: {
    declared: [
      { name: "shop", issuer: ci.url, audience: "https://slipway.example.com", claims: { repository: "acme/shop" } },
    ],
    file: "slipway.yaml",
  },
  log: pino({ level: "trace" }, { write: (line) => void lines.push(line) }),
});
const { call, clock, db, keyring } = app;

/** What must be nowhere, with its name. */
const secrets = new Map<string, string>([["client secret", clientSecret]]);
/** Answers that refuse something. */
const refusals: string[] = [];

async function note(answer: Awaited<ReturnType<typeof call>>): Promise<void> {
  expect(answer.statusCode).toBeGreaterThanOrEqual(400);
  refusals.push(answer.payload);
}

const post = (url: string, payload: object) => call({ method: "POST", url, token: null, payload });

beforeAll(async () => {
  await signInAndFail();
  await logInAndFail();
  await federateAndFail();
  // What failed inside is logged with its cause.
  const browser = new TestBrowser(app);
  const back = await browser.goThrough("sso");
  secrets.set("third code", back.searchParams.get("code")!);
  oidc.isDown = true;
  await note(await browser.finish("sso", back.search.slice(1)));
  clock.advance(3600_000);
  await note(await post("/api/v1/auth/refresh", { refresh_token: secrets.get("refresh token")! }));
});

async function signInAndFail() {
  const browser = new TestBrowser(app);
  const back = await browser.goThrough("sso");
  secrets.set("code", back.searchParams.get("code")!).set("state", back.searchParams.get("state")!);
  // The code of one sign-in with the state of another; then once rightly, and once again.
  const other = await browser.goThrough("sso");
  secrets.set("second code", other.searchParams.get("code")!);
  const mixed = new URLSearchParams({ ...Object.fromEntries(other.searchParams), code: secrets.get("code")! });
  await note(await browser.finish("sso", String(mixed)));
  const answer = await browser.finish("sso", back.search.slice(1));
  await note(await browser.finish("sso", back.search.slice(1)));
  // The other try may have used the code up.
  if (answer.statusCode >= 400) await browser.signIn("sso");
  const [, session] = /slipway_session_\d+=([^;]+)/.exec(browser.cookie) ?? [];
  secrets.set("session", session!);
  const { tokens } = await db.selectFrom("identities").select("tokens").executeTakeFirstOrThrow();
  for (const [name, value] of Object.entries(unseal<Record<string, unknown>>(keyring, tokens!)))
    if (typeof value === "string" && value.length > 20) secrets.set(`provider's ${name}`, value);
  const begun = (await post("/api/v1/auth/device", { device: "a test" })).json<Record<string, string>>();
  secrets.set("device code", begun["device_code"]!);
  await browser.call("POST", `/api/v1/auth/device/${begun["user_code"]}`, { decision: "approve" });
}

async function logInAndFail() {
  const device_code = secrets.get("device code")!;
  const issued = (await post("/api/v1/auth/device/token", { device_code })).json<Record<string, string>>();
  secrets.set("token", issued["token"]!).set("refresh token", issued["refresh_token"]!);
  await note(await post("/api/v1/auth/device/token", { device_code }));
  await note(await call({ url: "/api/v1/users", token: issued["token"]! }));
  await note(await call({ url: "/api/v1/projects", token: issued["refresh_token"]! }));
}

async function federateAndFail() {
  const id_token = await ci.sign(clock.now());
  const made = (await post("/api/v1/auth/federate", { id_token })).json<{ api_key: string }>();
  secrets.set("ID token", id_token).set("API key", made.api_key);
  await note(await post("/api/v1/auth/federate", { id_token }));
  const foreign = await ci.sign(clock.now(), { repository: "mallory/shop" });
  secrets.set("ID token of a stranger", foreign);
  await note(await post("/api/v1/auth/federate", { id_token: foreign }));
}

describe("no secret of a sign-in is in", () => {
  test("what is tried here is what there is to hide", () => {
    expect([...secrets.keys()]).toEqual(
      expect.arrayContaining(["client secret", "code", "state", "session", "device code", "refresh token", "API key"]),
    );
    expect([...secrets.keys()].filter((name) => name.startsWith("provider's")).length).toBeGreaterThan(0);
    for (const value of secrets.values()) expect(value.length).toBeGreaterThan(20);
  });

  test("the log, at its most talkative", () => {
    expect(lines.length).toBeGreaterThan(10);
    expectNone(lines.join(""));
  });

  test("the audit log and the events", async () => {
    const { rows } = await sql<{ text: string }>`
      select audit::text as text from audit union all select events::text from events`.execute(db);
    expect(rows.length).toBeGreaterThan(3);
    expectNone(rows.map(({ text }) => text).join("\n"));
  });

  test("an answer that refuses something", () => {
    expect(refusals.length).toBeGreaterThan(6);
    expectNone(refusals.join("\n"));
  });

  test("the tables, but encrypted or hashed", async () => {
    const { rows } = await sql<{ text: string }>`
      select identities::text as text from identities union all select tokens::text from tokens
      union all select api_keys::text from api_keys union all select used_id_tokens::text from used_id_tokens
      union all select device_logins::text from device_logins union all select users::text from users`.execute(db);
    expectNone(rows.map(({ text }) => text).join("\n"));
  });
});

function expectNone(text: string): void {
  const found = [...secrets].filter(([, value]) => text.includes(value) || text.includes(value.slice(-24)));
  expect(found.map(([name]) => name)).toEqual([]);
}
