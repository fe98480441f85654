import type { ProbeAnswer } from "./exchange.ts";

/** How many values one integration test carries along; names and values are whatever a program answered. */
const maxValues = 500;
const maxLength = 2_000;

/** What earlier steps of an integration test returned: ids, tokens and cookies. */
export class CarriedValues {
  readonly #values = new Map<string, string>();
  readonly #cookies = new Map<string, string>();
  #token: string | undefined;

  /** The value for a parameter: by its name, else the last id for a name that ends with `id`. */
  find(name: string): string | undefined {
    const key = normal(name);
    return this.#values.get(key) ?? (key.endsWith("id") ? this.#values.get("id") : undefined);
  }

  /** The headers that a client who took the earlier steps would send. */
  headers(fallbackToken: string): Record<string, string> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    return { authorization: `Bearer ${this.#token ?? fallbackToken}`, ...(cookie !== "" && { cookie }) };
  }

  /** Takes what an answer to a request at this path returned. */
  take(path: string, { status, headers, cookies, text }: ProbeAnswer): void {
    this.#takeCookies(cookies);
    if (status >= 400) return;
    const resource = resourceOf(path);
    const { location } = headers;
    if (location !== undefined) this.#setId(resource, decode(location.split(/[?#]/)[0]!.split("/").at(-1) ?? ""));
    const body = parse(text);
    if (!isMap(body)) return;
    this.#takeFrom(body, resource);
    // Answers often wrap what was made: {"user": {"id": 1}}.
    for (const [name, inner] of Object.entries(body).slice(0, maxValues)) if (isMap(inner)) this.#takeFrom(inner, name);
    const token = body["access_token"] ?? body["token"];
    if (typeof token === "string" && token.length <= maxLength) this.#token = token;
  }

  #takeFrom(body: Readonly<Record<string, unknown>>, resource: string): void {
    for (const [name, value] of Object.entries(body).slice(0, maxValues)) {
      if (typeof value !== "string" && typeof value !== "number") continue;
      if (/^_?(id|uuid)$/i.test(name)) this.#setId(resource, String(value));
      else this.#set(name, String(value));
    }
  }

  #setId(resource: string, value: string): void {
    if (value === "") return;
    this.#set("id", value);
    if (resource !== "") this.#set(`${resource}_id`, value);
  }

  #set(name: string, value: string): void {
    const key = normal(name);
    if (value.length <= maxLength && (this.#values.has(key) || this.#values.size < maxValues))
      this.#values.set(key, value);
  }

  #takeCookies(cookies: readonly string[]): void {
    for (const cookie of cookies.slice(0, 50)) {
      const [, name = "", value = ""] = /^([^=;\s]{1,200})=([^;]{0,4000})/.exec(cookie) ?? [];
      if (name !== "") this.#cookies.set(name, value);
    }
  }
}

/** `userId`, `user-id` and `user_id` are one. */
function normal(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}]/gu, "").toLowerCase();
}

/** `/api/issues/{id}/comments` is about a comment. */
function resourceOf(path: string): string {
  const last = path.split("/").findLast((part) => part !== "" && !/^[{:]/.test(part)) ?? "";
  return last.replace(/ies$/, "y").replace(/([^s])s$/, "$1");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
