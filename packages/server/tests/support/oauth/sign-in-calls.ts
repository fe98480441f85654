import { sessionHeader } from "@slipway/contract";
import type { TestApp } from "../test-app.ts";
import { startCiIssuer } from "./ci-issuer.ts";
import { startOidcServer, visit } from "./oidc-server.ts";

export const publicUrl = "http://slipway.example:4700";
const host = "slipway.example:4700";

/** The headers of a request that a page of the service makes. */
export const ownPage = { host, origin: publicUrl, [sessionHeader]: "1" };

/** A browser that signs in: it has the service's cookies, and sends them only to it. */
export class TestBrowser {
  readonly #app: Pick<TestApp, "call">;
  readonly #cookies = new Map<string, string>();

  constructor(app: Pick<TestApp, "call">) {
    this.#app = app;
  }

  get cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async call(method: "GET" | "POST" | "DELETE", url: string, payload?: object, headers: Record<string, string> = {}) {
    const answer = await this.#app.call({
      ...{ method, url, token: null, headers: { ...ownPage, cookie: this.cookie, ...headers } },
      ...(payload && { payload }),
    });
    for (const line of [answer.headers["set-cookie"] ?? []].flat()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      this.#cookies.set(name, value);
    }
    return answer;
  }

  begin(provider: string, body: object = {}) {
    return this.call("POST", `/api/v1/auth/oauth/${provider}/begin`, body);
  }

  finish(provider: string, parameters: string) {
    return this.call("POST", `/api/v1/auth/oauth/${provider}/finish`, { parameters });
  }

  /** Begins, and goes through the provider's pages; returns what the provider sends back. */
  async goThrough(provider: string, body: object = {}): Promise<URL> {
    const begun = await this.begin(provider, body);
    if (begun.statusCode !== 201) throw new Error(begun.payload);
    return visit(begun.json<{ url: string }>().url, publicUrl);
  }

  /** Signs in all the way. */
  async signIn(provider: string, body: object = {}) {
    return this.finish(provider, (await this.goThrough(provider, body)).search.slice(1));
  }

  session() {
    return this.call("GET", "/api/v1/auth/session");
  }
}

/** Settings of a service with one provider, at which everybody is a viewer. */
export async function oneProvider() {
  const { issuer, accounts } = await startOidcServer([`${publicUrl}/sign-in/sso`]);
  accounts.set("ada", { preferred_username: "ada", realm: { roles: ["viewer"] } });
  const client = { client_id: "slipway", client_secret: "sesame-of-the-provider-4711" };
  const roles = { roles_at: "/realm/roles", role_mapping: { viewer: "svc:readonly" } };
  const ci = await startCiIssuer();
  const rule = {
    name: "shop",
    issuer: ci.url,
    audience: "https://slipway.example.com",
    claims: { repository: "acme/shop" },
  };
  const federation = { declared: [rule], file: "" };
  return {
    publicUrl,
    federation,
    ci,
    oauth: { declared: { provider: "custom", name: "sso", issuer, ...client, ...roles }, file: "" },
  };
}

/** How the endpoints of sign-in are called so that they succeed. */
export function signInCalls(app: Pick<TestApp, "call" | "clock">, ci: Awaited<ReturnType<typeof startCiIssuer>>) {
  const begin = async () =>
    (await app.call({ method: "POST", url: "/api/v1/auth/device", payload: { device: "a test" } })).json<{
      device_code: string;
      user_code: string;
    }>();
  const decide = (userCode: string) =>
    app.call({ method: "POST", url: `/api/v1/auth/device/${userCode}`, payload: { decision: "approve" } });
  return {
    listSignInProviders: async () => ({}),
    beginSignIn: async () => ({ param: "sso", headers: ownPage, payload: {} }),
    finishSignIn: async () => {
      const browser = new TestBrowser(app);
      const { search } = await browser.goThrough("sso");
      const headers = { ...ownPage, cookie: browser.cookie };
      return { param: "sso", headers, payload: { parameters: search.slice(1) } };
    },
    exchangeIdToken: async () => ({ payload: { id_token: await ci.sign(app.clock.now()) } }),
    beginDeviceLogin: async () => ({ payload: { device: "a test" } }),
    exchangeDeviceCode: async () => {
      const { device_code, user_code } = await begin();
      await decide(user_code);
      return { payload: { device_code } };
    },
    readDeviceLogin: async () => ({ param: (await begin()).user_code }),
    decideDeviceLogin: async () => ({ param: (await begin()).user_code, payload: { decision: "deny" } }),
  };
}
