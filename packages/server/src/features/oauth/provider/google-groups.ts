import type { DirectorySettings, OauthSettings } from "../settings.ts";
import { type Dial, ProviderRefusal } from "./provider.ts";
import { fieldsOf, readJson, requireList, unreadable } from "./read-json.ts";

interface Deps {
  readonly dial: Dial;
  readonly settings: OauthSettings;
  readonly directory: DirectorySettings;
  readonly readSecret: (written: string) => Promise<string>;
}

interface ServiceAccount {
  readonly client_email: string;
  readonly private_key: string;
  readonly token_uri: string;
}

const scope = "https://www.googleapis.com/auth/admin.directory.group.readonly";
const maxPages = 20;

/** Reads the groups of people by a service account: a person's own token may not. */
export class GoogleDirectory {
  readonly #deps: Deps;
  #token: { readonly value: Promise<string>; readonly untilMs: number } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The addresses of the groups that somebody is in. */
  async groupsOf(email: string): Promise<readonly string[]> {
    const { dial, settings } = this.#deps;
    const groups: string[] = [];
    let pageToken: string | undefined;
    for (let page = 0; page < maxPages; page += 1) {
      const url = new URL(`${settings.apiUrl}/admin/directory/v1/groups`);
      url.searchParams.set("userKey", email);
      url.searchParams.set("maxResults", "200");
      if (pageToken !== undefined) url.searchParams.set("pageToken", pageToken);
      const headers = { authorization: `Bearer ${await this.#accessToken()}` };
      const { body } = await readJson({ dial, label: settings.label }, url, { headers }).catch((error: unknown) => {
        this.#token = undefined;
        // The service account is refused, not the person.
        throw new ProviderRefusal(`${settings.label} does not let the service account read groups.`, {
          isFinal: false,
          cause: error,
        });
      });
      const answer = fieldsOf(body);
      const { groups: found, nextPageToken } = answer;
      // Who is in none gets an answer without a list.
      const isNone = answer === body && found === undefined;
      for (const one of isNone ? [] : requireList(found, settings.label)) {
        const { email: address } = fieldsOf(one);
        if (typeof address === "string") groups.push(address.toLowerCase());
      }
      pageToken = typeof nextPageToken === "string" ? nextPageToken : undefined;
      if (pageToken === undefined) break;
    }
    return groups;
  }

  #accessToken(): Promise<string> {
    const nowMs = performance.now();
    if (this.#token === undefined || nowMs >= this.#token.untilMs) {
      const value = this.#request();
      const token = { value, untilMs: nowMs + 50 * 60_000 };
      // What went wrong once is tried again.
      value.catch(() => {
        if (this.#token === token) this.#token = undefined;
      });
      this.#token = token;
    }
    return this.#token.value;
  }

  async #request(): Promise<string> {
    const { dial, settings, directory, readSecret } = this.#deps;
    const account = readAccount(await readSecret(directory.key), settings.label);
    const { importPKCS8, SignJWT } = await import("jose");
    const key = await importPKCS8(account.private_key, "RS256");
    const assertion = await new SignJWT({ scope })
      .setProtectedHeader({ alg: "RS256", typ: "JWT" })
      .setIssuer(account.client_email)
      .setSubject(directory.subject)
      .setAudience(account.token_uri)
      .setIssuedAt()
      .setExpirationTime("10m")
      .sign(key);
    const { body } = await readJson({ dial, label: settings.label }, account.token_uri, {
      method: "POST",
      body: new URLSearchParams({ grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion }),
    });
    const { access_token: token } = fieldsOf(body);
    if (typeof token !== "string") throw unreadable(settings.label);
    return token;
  }
}

function readAccount(text: string, label: string): ServiceAccount {
  try {
    const { client_email, private_key, token_uri = "https://oauth2.googleapis.com/token" } = JSON.parse(text);
    if ([client_email, private_key, token_uri].every((part) => typeof part === "string"))
      return { client_email, private_key, token_uri };
  } catch {
    // Said below, without the text: it is a secret.
  }
  throw new ProviderRefusal(`The key of the service account for ${label} is not the JSON that Google gives.`, {
    isFinal: false,
  });
}
