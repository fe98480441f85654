import { ProviderFailure, type SecretProvider } from "../secrets/index.ts";
import { askJson, type Dial, type JsonAnswer, unexpectedStatus } from "./ask-json.ts";
import { narrowedPath, unusedFields } from "./narrowed-path.ts";
import { pickValues } from "./pick-values.ts";
import type { VaultSettings } from "./provider-settings.ts";

interface Deps {
  readonly dial: Dial;
  readonly environment: NodeJS.ProcessEnv;
  readonly timeoutMs: number;
}

/** HashiCorp Vault or OpenBao: the keys of one secret of the KV engine, version 2. Its API is two plain requests. */
export class VaultProvider implements Pick<SecretProvider, "howToSet" | "unused" | "read"> {
  readonly #settings: VaultSettings;
  readonly #deps: Deps;
  #login: { readonly token: string; readonly untilMs: number } | undefined;

  constructor(settings: VaultSettings, deps: Deps) {
    this.#settings = settings;
    this.#deps = deps;
  }

  readonly howToSet = (names: readonly string[]) => {
    const { mount, path } = this.#settings;
    const pairs = names.map((name) => `${name}=…`).join(" ");
    return `Store them: vault kv patch -mount=${mount} ${path === "" ? "" : `${path}/`}<path> ${pairs}`;
  };

  readonly unused: NonNullable<SecretProvider["unused"]> = (request) => unusedFields({ path: true }, request);

  readonly read: SecretProvider["read"] = async (request) => {
    const { mount, path: root } = this.#settings;
    const path = narrowedPath(root, request);
    if (path.length === 0) throw new ProviderFailure("the document must name a path, such as 'vault://teams/shop'.");
    const url = `/v1/${mount}/data/${path.map(encodeURIComponent).join("/")}`;
    const known = this.#login;
    let answer = await this.#get(url, await this.#token());
    // The token that we logged in for may have been revoked meanwhile.
    if (answer.status === 403 && known !== undefined && known === this.#login) {
      this.#login = undefined;
      answer = await this.#get(url, await this.#token());
    }
    if (answer.status === 404) return new Map();
    if (answer.status === 403) throw new ProviderFailure("it refused the operator's credentials for this path (403).");
    if (answer.status !== 200) throw unexpectedStatus(answer.status);
    const { data } = (answer.body as { data?: { data?: unknown } } | null) ?? {};
    // A version that was deleted has no data.
    return data?.data === null ? new Map() : pickValues(data?.data, request.names);
  };

  async #token(): Promise<string> {
    const { credentials } = this.#settings;
    if (credentials.is === "token") return this.#variable(credentials.tokenEnv);
    if (this.#login !== undefined && Date.now() < this.#login.untilMs) return this.#login.token;
    const body = {
      role_id: this.#variable(credentials.roleIdEnv),
      secret_id: this.#variable(credentials.secretIdEnv),
    };
    const { status, body: said } = await this.#call(`/v1/auth/${credentials.mount}/login`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (status === 400 || status === 403)
      throw new ProviderFailure(`it refused the role id and secret id of the operator's AppRole (${status}).`);
    if (status !== 200) throw unexpectedStatus(status);
    const { auth } = (said as { auth?: { client_token?: unknown; lease_duration?: unknown } } | null) ?? {};
    if (typeof auth?.client_token !== "string") throw new ProviderFailure("its answer to the login has no token.");
    const seconds = typeof auth.lease_duration === "number" ? auth.lease_duration : 0;
    this.#login = { token: auth.client_token, untilMs: Date.now() + seconds * 800 };
    return auth.client_token;
  }

  #variable(name: string): string {
    const value = this.#deps.environment[name];
    if (value === undefined || value === "") throw new ProviderFailure(`the variable ${name} is not set.`);
    // A header cannot carry others, and the error would quote them.
    if (/[^\x21-\x7e]/.test(value))
      throw new ProviderFailure(`the variable ${name} is not a token: it has odd characters.`);
    return value;
  }

  #get(path: string, token: string) {
    return this.#call(path, { headers: { "x-vault-token": token } });
  }

  #call(path: string, init: RequestInit): Promise<JsonAnswer> {
    const { url, namespace } = this.#settings;
    const headers = { ...init.headers, ...(namespace !== undefined && { "x-vault-namespace": namespace }) };
    const { dial, timeoutMs } = this.#deps;
    return askJson(dial, `${url}${path}`, { ...init, headers }, timeoutMs);
  }
}
