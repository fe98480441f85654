import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { openProviders } from "../../../src/features/oauth/index.ts";
import type { Provider, ProviderTokens } from "../../../src/features/oauth/provider/index.ts";
import { operatorsDialler } from "../../../src/platform/network/index.ts";
import { startGitHub, startOpenIdFake } from "../../support/oauth/fake-providers.ts";
import { publicUrl, TestBrowser } from "../../support/oauth/sign-in-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

const github = await startGitHub();
const google = await startOpenIdFake();
const entra = await startOpenIdFake();
const client = { client_id: "slipway", client_secret: "hidden-secret-4711" };
const declared = [
  {
    ...{ provider: "github", ...client, url: github.url, organization: "acme", scopes: ["read:user", "read:org"] },
    role_mapping: { admin: "svc:admin", "*": "svc:readonly", "partners/builders": "svc:user" },
  },
  {
    ...{ provider: "google", ...client, issuer: google.url, api_url: google.url, hosted_domain: "example.com" },
    directory: { key: google.account, subject: "admin@example.com" },
    role_mapping: { admins: "svc:admin", "*": "svc:readonly" },
  },
  {
    ...{ provider: "azure", ...client, issuer: entra.url, api_url: entra.url },
    tenant: "72f988bf-86f1-41af-91ab-2d7cd011db47",
    role_mapping: { Operator: "svc:admin", "11111111-aaaa-bbbb-cccc-000000000001": "svc:user" },
  },
];
const app = await createTestApp({ publicUrl, oauth: { declared, file: "slipway.yaml" } });

const signIn = (provider: string) => new TestBrowser(app).signIn(provider);
const roleAt = async (provider: string) =>
  (await signIn(provider)).json<{ session?: { role: string } }>().session?.role;
const org = (login: string) => ({ state: "active", organization: { login } });

describe("with GitHub", () => {
  beforeEach(() => Object.assign(github, { teams: [], memberships: [org("Acme")], refusal: undefined, odd: {} }));

  test("members and teams of the organisation have the roles that are mapped, whatever the case", async () => {
    expect((await signIn("github")).json()).toMatchObject({ session: { name: "OctoCat", role: "svc:readonly" } });
    // More than a page of them.
    const others = Array.from({ length: 120 }, (_, index) => ({ slug: `t${index}`, organization: { login: "x" } }));
    github.teams = [...others, { slug: "builders", organization: { login: "Partners" } }];
    expect(await roleAt("github")).toBe("svc:user");
    github.teams.push({ slug: "admin", organization: { login: "Acme" } });
    expect(await roleAt("github")).toBe("svc:admin");
  });

  test("a team of the same name elsewhere, and an invitation, are nothing", async () => {
    github.memberships = [{ state: "pending", organization: { login: "acme" } }, org("evil")];
    github.teams = [{ slug: "admin", organization: { login: "evil" } }];
    const refused = await signIn("github");
    expect(refused.statusCode).toBe(403);
    expect(refused.json<{ detail: string }>().detail).toContain(
      "GitHub knows you as OctoCat, with evil/*, evil/admin.",
    );
  });

  test("a login that somebody else has now is another person", async () => {
    const { session } = (await signIn("github")).json<{ session: { user_id: string } }>();
    github.user = { id: 43, login: "OctoCat" };
    const other = (await signIn("github")).json<{ session: { user_id: string; name: string } }>().session;
    expect(other.name).toBe("OctoCat@github");
    expect(other.user_id).not.toBe(session.user_id);
  });

  test("signing out revokes the token there", async () => {
    github.user = { id: 44, login: "hubot" };
    const browser = new TestBrowser(app);
    await browser.signIn("github");
    await browser.call("DELETE", "/api/v1/auth/session");
    await expect.poll(() => github.revoked).toContain("gho_hidden-4711");
  });

  test("an API that fails lets nobody in, and no answer tells a token", async () => {
    for (const [status, code, why] of [
      [500, "provider_unavailable", ""],
      [401, "forbidden", ""],
      [403, "forbidden", "Sorry. Your account was suspended."],
      [403, "provider_unavailable", "You have exceeded a secondary rate limit. Wait a few minutes."],
    ] as const) {
      Object.assign(github, { refusal: status, why });
      const answer = await signIn("github");
      expect(answer.json()).toMatchObject({ code });
      expect(answer.payload).not.toMatch(/hidden/);
    }
  });

  test.each([
    ["/api/v3/user", null],
    ["/api/v3/user/teams", { message: "Come back later." }],
    ["/api/v3/user/memberships/orgs", null],
  ])("an answer of another kind at %s is no word on anybody", async (path, said) => {
    github.odd = { [path]: said };
    expect((await signIn("github")).json()).toMatchObject({
      code: "provider_unavailable",
      detail: "The answer of GitHub cannot be read.",
    });
  });

  test("a refresh token that works once is kept before anything else is asked, and then over", async () => {
    const provider = openAlone("github");
    const kept: ProviderTokens[] = [];
    const first = { accessToken: "gho_old", refreshToken: github.refreshToken };
    const check = (tokens: ProviderTokens) => provider.check("42", tokens, async (next) => void kept.push(next));
    github.user = { id: 42, login: "OctoCat" };
    github.refusal = 500;
    await expect(check(first)).rejects.toMatchObject({ isFinal: false });
    github.refusal = undefined;
    expect(await check(kept[0]!)).toMatchObject({ subject: "42", roles: ["acme/*"] });
    await expect(check(first)).rejects.toMatchObject({ isFinal: true, message: "GitHub refused: bad_refresh_token." });
  });

  test("entries of another kind are none", async () => {
    github.odd = {
      "/api/v3/user/teams": [null, { slug: "admin" }, { slug: 5, organization: { login: "acme" } }],
      "/api/v3/user/memberships/orgs": [null, { state: "active", organization: null }, org("acme")],
    };
    expect(await roleAt("github")).toBe("svc:readonly");
  });
});

describe("with Google", () => {
  const member = { hd: "example.com", email: "ada@example.com", email_verified: true };
  beforeEach(() => Object.assign(google, { claims: member, groups: [], nonce: undefined, isForged: false, odd: {} }));

  test("a service account that got no token once gets one the next time", async () => {
    // Without a token that it has from before.
    const fresh = await createTestApp({ publicUrl, oauth: { declared, file: "slipway.yaml" } });
    for (const said of [500, null, { access_token: 5 }]) {
      google.odd = { "/account-token": said };
      expect((await new TestBrowser(fresh).signIn("google")).json()).toMatchObject({ code: "provider_unavailable" });
    }
    google.odd = {};
    expect((await new TestBrowser(fresh).signIn("google")).statusCode).toBe(201);
  });

  test.each([[null], [{ groups: null }], [{ groups: {} }]])(
    "groups told as %j are no word on anybody",
    async (said) => {
      google.odd = { "/admin/directory/v1/groups": said };
      expect((await signIn("google")).json()).toMatchObject({ code: "provider_unavailable" });
      google.odd = { "/admin/directory/v1/groups": { kind: "admin#directory#groups" } };
      expect(await roleAt("google")).toBe("svc:readonly");
    },
  );

  test("a new token that comes without roles is no word on anybody", async () => {
    const provider = openAlone("google");
    const tokens = { accessToken: "access-4711", refreshToken: "refresh-4711" };
    const check = () => provider.check("person-1", tokens, async () => undefined);
    google.odd = { "/token": { access_token: "access-4712", token_type: "Bearer" } };
    await expect(check()).rejects.toMatchObject({ isFinal: false, message: "The answer of Google cannot be read." });
  });

  test("people of the domain and of its groups have the roles that are mapped", async () => {
    expect((await signIn("google")).json()).toMatchObject({
      session: { name: "ada@example.com", role: "svc:readonly" },
    });
    google.groups = ["Admins@example.com"];
    expect(await roleAt("google")).toBe("svc:admin");
  });

  test("a private account is nobody, whatever its address", async () => {
    google.groups = ["admins@example.com"];
    google.claims = { email: "ada@example.com", email_verified: true };
    expect((await signIn("google")).statusCode).toBe(403);
    google.claims = { ...member, hd: "evil.example" };
    google.groups = [];
    expect((await signIn("google")).statusCode).toBe(403);
  });

  test("a token with an old nonce, or with somebody else's signature, is refused", async () => {
    const browser = new TestBrowser(app);
    await browser.signIn("google");
    google.nonce = google.lastNonce;
    const replayed = await signIn("google");
    expect(replayed.json()).toMatchObject({ status: 503, detail: "The answer of Google is not valid." });
    google.nonce = undefined;
    google.isForged = true;
    expect((await signIn("google")).json()).toMatchObject({ detail: "The answer of Google is not valid." });
  });
});

describe("with Entra", () => {
  const group = "11111111-aaaa-bbbb-cccc-000000000001";
  beforeEach(() => Object.assign(entra, { claims: {}, groups: [], graphCalls: 0 }));

  test("app roles and groups of the token count, and Graph is not asked", async () => {
    entra.claims = { preferred_username: "ada@corp.example", roles: ["Operator"], groups: [group] };
    expect((await signIn("azure")).json()).toMatchObject({ session: { name: "ada@corp.example", role: "svc:admin" } });
    entra.claims = { groups: [group] };
    expect(await roleAt("azure")).toBe("svc:user");
    expect(entra.graphCalls).toBe(0);
  });

  test("groups that are too many for a token are read from Graph", async () => {
    entra.groups = [group];
    for (const claims of [{ _claim_names: { groups: "src1" } }, { hasgroups: true }]) {
      entra.claims = claims;
      expect(await roleAt("azure")).toBe("svc:user");
    }
    expect(entra.graphCalls).toBe(2);
    entra.odd = { "/v1.0/me/getMemberObjects": { error: "busy" } };
    expect((await signIn("azure")).json()).toMatchObject({ code: "provider_unavailable" });
  });
});

/** As the service opens it, to be asked directly. */
function openAlone(name: string): Provider {
  const dialler = operatorsDialler();
  onTestFinished(() => dialler.close());
  const secretSources = async () => ({ find: () => undefined, isPrivate: true });
  const settings = declared.filter(({ provider }) => provider === name);
  return openProviders({ dial: dialler.fetch, secretSources }, settings, "slipway.yaml").get(name)!.provider;
}
