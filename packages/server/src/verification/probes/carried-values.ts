import { parseJson } from "../../platform/bounded-json.ts";
import type { ProbeAnswer } from "./exchange.ts";

/** How many values one integration test carries along; names and values are whatever a program answered. */
const maxValues = 500;
const maxLength = 2_000;

/** What earlier steps of an integration test returned: what they keep by name, and what looks like an id. */
export class CarriedValues {
  readonly #kept = new Map<string, unknown>();
  readonly #values = new Map<string, string | number>();

  /** Keeps a value of an answer by name; or says why it cannot. */
  keep(name: string, value: unknown): string | undefined {
    if (textOf(value).length > maxLength) return `it is longer than ${maxLength} characters`;
    this.#kept.set(name, value);
    return undefined;
  }

  /** The value for a parameter: what was kept by its name, else what was returned by it, else for `…id` the last id. */
  find(name: string): string | undefined {
    const value = this.#find(name, normal(name).endsWith("id"))?.value;
    const found = value === undefined ? undefined : textOf(value);
    // These would make another path of it: that of the list, or of the root.
    return found === undefined || /^\.{0,2}$/.test(found) ? undefined : found.toWellFormed();
  }

  /** The value for a name in braces in a text, as it was returned. */
  named(name: string): { readonly value: unknown } | undefined {
    return this.#find(name, isId(name));
  }

  /** Whether a step said that it keeps it. */
  isKept(name: string): boolean {
    return this.#kept.has(name);
  }

  #find(name: string, isId: boolean): { readonly value: unknown } | undefined {
    if (this.#kept.has(name)) return { value: this.#kept.get(name) };
    const value = this.#values.get(normal(name)) ?? (isId ? this.#values.get("id") : undefined);
    return value === undefined ? undefined : { value };
  }

  /** Takes what an answer to a request at this path returned. */
  take(path: string, { status, headers, text }: ProbeAnswer): void {
    if (status >= 400) return;
    const resource = resourceOf(path);
    const { location } = headers;
    if (location !== undefined) this.#setId(resource, decode(location.split(/[?#]/)[0]!.split("/").at(-1) ?? ""));
    const body = parseJson(text)?.value;
    if (!isMap(body)) return;
    this.#takeFrom(body, resource);
    // Answers often wrap what was made: {"user": {"id": 1}}.
    for (const [name, inner] of Object.entries(body).slice(0, maxValues)) if (isMap(inner)) this.#takeFrom(inner, name);
  }

  #takeFrom(body: Readonly<Record<string, unknown>>, resource: string): void {
    for (const [name, value] of Object.entries(body).slice(0, maxValues)) {
      if (typeof value !== "string" && typeof value !== "number") continue;
      if (/^_?(id|uuid)$/i.test(name)) this.#setId(resource, value);
      else this.#set(name, value);
    }
  }

  #setId(resource: string, value: string | number): void {
    if (value === "") return;
    this.#set("id", value);
    if (resource !== "") this.#set(`${resource}_id`, value);
  }

  #set(name: string, value: string | number): void {
    const key = normal(name);
    if (String(value).length <= maxLength && (this.#values.has(key) || this.#values.size < maxValues))
      this.#values.set(key, value);
  }
}

/** Whether a name in a text asks for an id: `id`, `order_id`, `userId`; but not `paid`. */
export function isId(name: string): boolean {
  return /(?:^|[_-])id$|[a-z\d]I[dD]$/.test(name);
}

/** A kept value inside of a text. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
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
