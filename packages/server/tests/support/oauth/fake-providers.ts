import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { exportJWK, exportPKCS8, generateKeyPair, jwtVerify, SignJWT } from "jose";
import { whenDone } from "../when-done.ts";

interface Answer {
  readonly status?: number;
  readonly body?: unknown;
  readonly location?: string;
}

/** Serves what `answer` says, on this machine. */
async function serve(answer: (url: URL, request: IncomingMessage, body: string) => Promise<Answer>): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", "http://here");
      const { status = 200, body, location } = await answer(url, request, await text(request));
      response.writeHead(location === undefined ? status : 302, {
        "content-type": "application/json",
        ...(location !== undefined && { location }),
      });
      response.end(body === undefined ? "" : JSON.stringify(body));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  whenDone(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const bearer = (request: IncomingMessage) => request.headers.authorization?.replace("Bearer ", "");

/** GitHub's pages and API, as far as signing in needs them. */
export async function startGitHub() {
  const github = {
    url: "",
    user: { id: 42, login: "OctoCat" },
    teams: [] as { slug: string; organization: { login: string } }[],
    memberships: [] as { state: string; organization: { login: string } }[],
    /** What the API answers instead. */
    refusal: undefined as number | undefined,
    /** What it says of that. */
    why: "",
    /** What it says instead, by its path. */
    odd: {} as Record<string, unknown>,
    revoked: [] as string[],
    challenges: new Map<string, string>(),
    /** Works once. */
    refreshToken: "ghr_0",
  };
  github.url = await serve(async ({ pathname, searchParams }, request, body) => {
    if (pathname === "/login/oauth/authorize") {
      const code = `code-${github.challenges.size}`;
      github.challenges.set(code, searchParams.get("code_challenge") ?? "");
      return { location: `${searchParams.get("redirect_uri")}?code=${code}&state=${searchParams.get("state")}` };
    }
    if (pathname === "/login/oauth/access_token") {
      const asked = new URLSearchParams(body);
      const given = { access_token: "gho_hidden-4711", token_type: "bearer", scope: "read:org,read:user" };
      // GitHub says with status 200 that it refuses.
      if (asked.get("grant_type") === "refresh_token") {
        if (asked.get("refresh_token") !== github.refreshToken) return { body: { error: "bad_refresh_token" } };
        github.refreshToken = `${github.refreshToken}+`;
        return { body: { ...given, refresh_token: github.refreshToken } };
      }
      if (!github.challenges.delete(asked.get("code") ?? "")) return { body: { error: "bad_verification_code" } };
      return { body: given };
    }
    if (pathname.startsWith("/api/v3/applications/")) {
      github.revoked.push((JSON.parse(body) as { access_token: string }).access_token);
      return { status: 204 };
    }
    if (bearer(request) !== "gho_hidden-4711") return { status: 401, body: {} };
    if (github.refusal !== undefined) return { status: github.refusal, body: { message: github.why } };
    const page = Number(searchParams.get("page") ?? 1);
    const paged = (items: readonly unknown[]) => ({ body: items.slice((page - 1) * 100, page * 100) });
    if (pathname in github.odd) return { body: github.odd[pathname] };
    if (pathname === "/api/v3/user") return { body: github.user };
    if (pathname === "/api/v3/user/teams") return paged(github.teams);
    return paged(github.memberships);
  });
  return github;
}

/** Google or Entra: an OpenID provider that says what a test wants, with the API that has its groups. */
export async function startOpenIdFake() {
  const { publicKey, privateKey } = await generateKeyPair("RS256", { extractable: true });
  const other = await generateKeyPair("RS256");
  const keys = [{ ...(await exportJWK(publicKey)), kid: "one", use: "sig", alg: "RS256" }];
  const fake = {
    url: "",
    claims: {} as Record<string, unknown>,
    groups: [] as string[],
    /** What it says instead, by its path, or the status that it answers with. */
    odd: {} as Record<string, unknown>,
    graphCalls: 0,
    /** The nonce of the token; undefined: the one that was asked for. */
    nonce: undefined as string | undefined,
    isForged: false,
    lastNonce: "",
    /** A service account whose key the fake knows. */
    account: "",
  };
  const idToken = () =>
    new SignJWT({ sub: "person-1", ...fake.claims, nonce: fake.nonce ?? fake.lastNonce })
      .setProtectedHeader({ alg: "RS256", kid: "one" })
      .setIssuer(fake.url)
      .setAudience("slipway")
      .setIssuedAt()
      .setExpirationTime("5m")
      .sign(fake.isForged ? other.privateKey : privateKey);
  fake.url = await serve(async ({ pathname, searchParams }, request, body) => {
    if (pathname in fake.odd) {
      const said = fake.odd[pathname];
      return typeof said === "number" ? { status: said, body: {} } : { body: said };
    }
    switch (pathname) {
      case "/.well-known/openid-configuration":
        return {
          body: {
            issuer: fake.url,
            authorization_endpoint: `${fake.url}/authorize`,
            token_endpoint: `${fake.url}/token`,
            jwks_uri: `${fake.url}/keys`,
            response_types_supported: ["code"],
            id_token_signing_alg_values_supported: ["RS256"],
          },
        };
      case "/keys":
        return { body: { keys } };
      case "/authorize":
        fake.lastNonce = searchParams.get("nonce") ?? "";
        return { location: `${searchParams.get("redirect_uri")}?code=one&state=${searchParams.get("state")}` };
      case "/token":
        return {
          body: {
            ...{ access_token: "access-4711", token_type: "Bearer", refresh_token: "refresh-4711", expires_in: 300 },
            id_token: await idToken(),
          },
        };
      case "/account-token": {
        const assertion = new URLSearchParams(body).get("assertion") ?? "";
        const { payload } = await jwtVerify(assertion, publicKey, { audience: `${fake.url}/account-token` });
        return { body: { access_token: `for ${payload.sub}` } };
      }
      case "/admin/directory/v1/groups":
        if (bearer(request) !== "for admin@example.com") return { status: 401, body: {} };
        return { body: { groups: fake.groups.map((email) => ({ email })) } };
      case "/v1.0/me/getMemberObjects":
        fake.graphCalls += 1;
        if (bearer(request) !== "access-4711") return { status: 401, body: {} };
        return { body: { value: fake.groups } };
      default:
        return { status: 404, body: {} };
    }
  });
  fake.account = JSON.stringify({
    client_email: "reader@project.iam.example",
    private_key: await exportPKCS8(privateKey),
    token_uri: `${fake.url}/account-token`,
  });
  return fake;
}
