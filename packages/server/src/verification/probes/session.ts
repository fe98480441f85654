import { parseJson } from "../../platform/bounded-json.ts";
import type { ProbeAnswer } from "./exchange.ts";
import { withToken } from "./token-header.ts";

const maxTokenLength = 2_000;
const maxCookies = 50;

interface SessionOptions {
  readonly token?: string;
  readonly tokenHeader: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client of the software, with the cookies and the token that it was given. */
export class Session {
  #token: string | undefined;
  readonly #tokenHeader: string;
  readonly #cookies = new Map<string, string>();
  readonly #own: Readonly<Record<string, string>>;
  #hasTaken = false;

  constructor({ token, tokenHeader, headers = {} }: SessionOptions) {
    this.#token = token;
    this.#tokenHeader = tokenHeader;
    this.#own = lowerCased(headers);
  }

  /** The headers that this client sends, those of the request among them. */
  headers(ofRequest: Readonly<Record<string, string>> = {}): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return {
      ...(this.#token !== undefined && withToken(this.#tokenHeader, this.#token)),
      ...(cookie !== "" && { cookie }),
      ...this.#own,
      ...lowerCased(ofRequest),
    };
  }

  /** Whether the software itself has given it a token or a cookie. */
  get isLoggedIn(): boolean {
    return this.#hasTaken || this.#cookies.size > 0;
  }

  useToken(token: string): void {
    this.#token = token;
    this.#hasTaken = true;
  }

  /** Takes the token of an answer that looks like one to a login. */
  takeToken({ status, text }: ProbeAnswer): void {
    const body = status < 400 ? parseJson(text)?.value : undefined;
    if (typeof body !== "object" || body === null) return;
    const { access_token, token } = body as { access_token?: unknown; token?: unknown };
    const found = access_token ?? token;
    if (typeof found === "string" && found.length <= maxTokenLength) this.useToken(found);
  }

  takeCookies({ cookies }: ProbeAnswer): void {
    for (const cookie of cookies.slice(0, maxCookies)) {
      const [, name = "", value = ""] = /^([^=;\s]{1,200})=([^;]{0,4000})/.exec(cookie) ?? [];
      if (name !== "" && (this.#cookies.has(name) || this.#cookies.size < maxCookies)) this.#cookies.set(name, value);
    }
  }
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
