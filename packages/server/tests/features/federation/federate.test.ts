import { createSecretKey } from "node:crypto";
import { generateKeyPair, type JWTPayload, SignJWT } from "jose";
import { beforeEach, describe, expect, test } from "vitest";
import { startCiIssuer } from "../../support/oauth/ci-issuer.ts";
import { createTestApp, smallDocument } from "../../support/test-app.ts";

const ci = await startCiIssuer();
const publicUrl = "https://slipway.example.com";
const rule = { issuer: ci.url, claims: { repository: "acme/shop", ref: "refs/heads/main" } };
const declared = [
  { ...rule, name: "shop", team: "storefront", lifetime_minutes: 10 },
  { ...rule, name: "docs", claims: { repository: "acme/docs-*", run_attempt: 1 }, role: "svc:readonly" },
  { ...rule, name: "other", audience: "https://other.example.com", claims: { repository: "acme/*" } },
];
const app = await createTestApp({ publicUrl, federation: { declared, file: "slipway.yaml" } });
const { call, clock, db } = app;

let addresses = 0;
const send = (id_token: string, more: { headers?: Record<string, string>; remoteAddress?: string } = {}) => {
  // From an address of its own: who sends wrong tokens all the time is not even heard.
  addresses += 1;
  const remoteAddress = `10.4.${addresses >> 8}.${addresses & 255}`;
  return call({
    method: "POST",
    url: "/api/v1/auth/federate",
    token: null,
    payload: { id_token },
    remoteAddress,
    ...more,
  });
};
const sign = (claims: Readonly<Record<string, unknown>> = {}, how: Parameters<typeof ci.sign>[2] = {}) =>
  ci.sign(clock.now(), claims, how);
interface Key {
  readonly api_key_id: string;
  readonly api_key: string;
  readonly scopes: string[];
  readonly rule: string;
}
const statusOf = async (token: string) => (await call({ url: "/api/v1/projects", token })).statusCode;
const audit = async (action: string) =>
  (await call({ url: `/api/v1/audit?limit=1&action=${action}` })).json<{
    entries: { actor_name: string; target: string; detail: Record<string, unknown> }[];
  }>().entries[0];

beforeEach(() => {
  ci.isDown = false;
});

describe("a job whose token fulfils a rule", () => {
  test("gets a key with the rule's rights, for its lifetime, that works for the rule's team", async () => {
    const token = await sign();
    const answer = await send(token);
    expect(answer.statusCode, answer.payload).toBe(201);
    const { api_key, api_key_id, ...key } = answer.json<Key>();
    expect(key).toMatchObject({ rule: "shop", scopes: ["projects:create", "projects:read", "artifacts:download"] });
    const headers = { "content-type": "application/yaml" };
    const document = { method: "POST", url: "/api/v1/projects", headers, payload: smallDocument("shop") } as const;
    const { project_id } = (await call({ ...document, token: api_key })).json<{ project_id: string }>();
    const { name } = await db
      .selectFrom("projects")
      .innerJoin("teams", "teams.id", "projects.team_id")
      .select("teams.name")
      .where("projects.id", "=", project_id)
      .executeTakeFirstOrThrow();
    expect(name).toBe("storefront");
    const entry = await audit("api_key.federate");
    expect(entry).toMatchObject({
      ...{ actor_name: "ci:shop", target: api_key_id },
      detail: { rule: "shop", subject: "repo:acme/shop:ref:refs/heads/main", claims: { repository: "acme/shop" } },
    });
    expect(JSON.stringify(entry)).not.toContain(token.slice(-40));
    clock.advance(10 * 60_000 + 1);
    expect(await statusOf(api_key)).toBe(401);
  });

  test("is the same account each time, so its runs are of one application", async () => {
    const keys = await Promise.all([send(await sign()), send(await sign())]);
    const callers = await Promise.all(
      keys.map(async (answer) => {
        const { api_key } = answer.json<Key>();
        return (await call({ url: "/api/v1/auth/whoami", token: api_key })).json<{ user_id: string; name: string }>();
      }),
    );
    expect(callers[0]).toMatchObject({ name: "ci:shop" });
    expect(callers[1]!.user_id).toBe(callers[0]!.user_id);
  });

  test("is admitted by a pattern, with the role of that rule", async () => {
    const answer = await send(await sign({ repository: "acme/docs-de" }));
    expect(answer.json()).toMatchObject({ rule: "docs", scopes: ["projects:read", "artifacts:download"] });
  });

  test.for(["a\0b", "a\ud83d", `${"x".repeat(99)}👋`])("may be called anything (%#)", async (sub) => {
    expect((await send(await sign({ sub }))).statusCode).toBe(201);
    expect((await send(await sign({ sub, repository: "nobody/nothing" }))).statusCode).toBe(403);
  });

  test("gets the same key again for a repeated request, if the answer got lost", async () => {
    const token = await sign();
    const once = { headers: { "idempotency-key": "once" }, remoteAddress: "10.6.0.1" };
    const [first, second] = [await send(token, once), await send(token, once)];
    expect([second.statusCode, second.payload]).toEqual([201, first.payload]);
  });
});

const elsewhere = await generateKeyPair("RS256");
const secret = createSecretKey(Buffer.from(JSON.stringify(ci.publicJwk)));
const seconds = () => Math.floor(clock.now().getTime() / 1000);

/** What an attacker may send, each with a name. */
const forged: Readonly<Record<string, () => Promise<string> | string>> = {
  "nothing that is a token": () => "garbage",
  "a token without a signature": async () => {
    const [, payload] = (await sign()).split(".");
    return `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.`;
  },
  "a token signed with the public key as a shared secret": async () =>
    new SignJWT({ ...claimsOf(await sign()) }).setProtectedHeader({ alg: "HS256", kid: "one" }).sign(secret),
  "a token signed by somebody else": () => sign({}, { key: elsewhere.privateKey }),
  "a token that brings its own key": () =>
    sign({}, { key: elsewhere.privateKey, header: { jwk: ci.publicJwk, jku: "http://127.0.0.1:9/jwks", kid: "two" } }),
  "a token whose claims were changed": async () => {
    const [header, , signature] = (await sign({ repository: "mallory/shop" })).split(".");
    const claims = Buffer.from(JSON.stringify(claimsOf(await sign()))).toString("base64url");
    return `${header}.${claims}.${signature}`;
  },
  "a token of another issuer": () => sign({ iss: "https://token.actions.githubusercontent.com" }),
  "a token of an issuer that is written a little otherwise": () => sign({ iss: `${ci.url}/` }),
  "a token that has expired": () => sign({ exp: seconds() - 31 }),
  "a token that never expires": () => sign({ exp: undefined }),
  "a token that is not valid yet": () => sign({ nbf: seconds() + 60 }),
  "a token that nobody issued": () => sign({ iat: undefined }),
};

function claimsOf(token: string): JWTPayload {
  return JSON.parse(Buffer.from(token.split(".")[1]!, "base64url").toString("utf8")) as JWTPayload;
}

describe("refused is", () => {
  test.each(Object.entries(forged))("%s", async (_, make) => {
    const answer = await send(await make());
    expect(answer.statusCode, answer.payload).toBe(401);
    expect(answer.json()).toMatchObject({ code: "unauthenticated" });
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["another repository", { repository: "mallory/shop" }],
    ["a repository whose name begins or ends alike", { repository: "evil-acme/docs-x" }],
    ["another branch", { ref: "refs/heads/main2" }],
    ["a claim that is a list", { repository: ["acme/shop"] }],
    ["a claim that is missing", { repository: undefined }],
    ["another service's audience", { aud: "https://elsewhere.example.com" }],
    ["two audiences", { aud: [publicUrl, "https://elsewhere.example.com"] }],
    ["another rule's audience with this rule's claims", { aud: "https://other.example.com", repository: "x/shop" }],
  ])("a valid token with %s, and the audit log tells", async (_, claims) => {
    const answer = await send(await sign(claims));
    expect(answer.statusCode, answer.payload).toBe(403);
    expect(await audit("federation.refuse")).toMatchObject({ target: ci.url });
  });

  test("a token that was used before, also by eight at once", async () => {
    const token = await sign();
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(token)));
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, ...Array(7).fill(401)]);
    const withoutId = await sign({ jti: undefined, run_attempt: 2 });
    expect([(await send(withoutId)).statusCode, (await send(withoutId)).statusCode]).toEqual([201, 401]);
  });

  test("whoever sends wrong tokens all the time", async () => {
    const remoteAddress = "10.5.0.1";
    const guess = () => {
      const payload = { id_token: "garbage" };
      return call({ method: "POST", url: "/api/v1/auth/federate", token: null, payload, remoteAddress });
    };
    const codes: number[] = [];
    for (let count = 0; count < 60 && codes.at(-1) !== 429; count += 1) codes.push((await guess()).statusCode);
    expect(codes.at(-1)).toBe(429);
  });
});

test("an issuer that is away is told as such, and asked again later", async () => {
  const away = await startCiIssuer();
  const other = await createTestApp({
    publicUrl,
    federation: { declared: [{ ...rule, issuer: away.url, name: "shop" }], file: "slipway.yaml" },
  });
  const token = await away.sign(other.clock.now());
  const sendIt = () =>
    other.call({ method: "POST", url: "/api/v1/auth/federate", token: null, payload: { id_token: token } });
  away.isDown = true;
  const refused = await sendIt();
  expect([refused.statusCode, refused.json<{ detail: string }>().detail]).toEqual([
    503,
    `The keys of ${away.url} cannot be read.`,
  ]);
  away.isDown = false;
  expect((await sendIt()).statusCode).toBe(201);
});

test("without rules nobody gets in, and nobody is asked", async () => {
  const plain = await createTestApp({ publicUrl });
  const asked = ci.asked;
  const payload = { id_token: await sign() };
  const answer = await plain.call({ method: "POST", url: "/api/v1/auth/federate", token: null, payload });
  expect([answer.statusCode, ci.asked]).toEqual([401, asked]);
});
