import type { CookieFilter } from "./cookie-filter.ts";

/** Who sent a request. */
export interface Peer {
  readonly address: string;
  /** Whether it is a proxy of the operator, whose word on the client's address counts. */
  readonly isTrusted: boolean;
}

/** What of a request's headers goes on to the program. */
export interface ForwardedHead {
  /** Names and values in turn. */
  readonly headers: string[];
  readonly hasBody: boolean;
}

/** A request that is not passed on. */
export interface HeadRefusal {
  readonly status: 400 | 501;
  readonly text: string;
}

/** They concern one connection, not the request; `expect` is answered here, and undici writes the framing itself. */
const hopByHop: ReadonlySet<string> = new Set([
  "connection",
  "expect",
  "http2-settings",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** What proxies say about a client: anybody else could use them to pose as someone. */
const saidByProxies: ReadonlySet<string> = new Set([
  "forwarded",
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-port",
  "x-forwarded-proto",
  "x-real-ip",
]);

/** A client could take these away from the program by naming them in `Connection`. */
const neverNominated: ReadonlySet<string> = new Set(["content-length", "cookie", "host"]);

/** Filters the headers of a request and adds who sent it. */
export function forwardedHead(raw: readonly string[], peer: Peer, cookies: CookieFilter): ForwardedHead | HeadRefusal {
  const nominated = nominatedHeaders(raw);
  const headers: string[] = [];
  const said: Record<string, string> = {};
  let host: string | undefined;
  let length: string | undefined;
  let isChunked = false;
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!.toLowerCase();
    let value: string | undefined = raw[index + 1]!;
    if (name === "transfer-encoding") {
      if (isChunked || value.toLowerCase() !== "chunked") return otherCoding;
      isChunked = true;
      continue;
    }
    if (hopByHop.has(name) || (nominated?.has(name) && !neverNominated.has(name))) continue;
    // Many programs take `_` for `-`.
    const spoken = name.includes("_") ? name.replaceAll("_", "-") : name;
    if (saidByProxies.has(spoken)) {
      if (peer.isTrusted && spoken === name) said[name] = said[name] === undefined ? value : `${said[name]}, ${value}`;
      continue;
    }
    if (name === "host") {
      if (host !== undefined) return twoHosts;
      host = value;
    } else if (name === "content-length") {
      if (length !== undefined) return ambiguousLength;
      length = value;
    } else if (name === "cookie") {
      value = cookies.ofRequest(value);
      if (value === undefined) continue;
    }
    headers.push(raw[index]!, value);
  }
  // Node's parser refuses this already; two readings of one length are how requests are smuggled.
  if (isChunked && length !== undefined) return ambiguousLength;
  addPeer(headers, said, peer, host);
  return { headers, hasBody: isChunked || (length !== undefined && Number(length) !== 0) };
}

function addPeer(headers: string[], said: Record<string, string>, { address }: Peer, host: string | undefined): void {
  const before = said["x-forwarded-for"];
  headers.push("x-forwarded-for", before === undefined ? address : `${before}, ${address}`);
  headers.push("x-forwarded-proto", said["x-forwarded-proto"] ?? "http");
  const known = said["x-forwarded-host"] ?? host;
  if (known !== undefined) headers.push("x-forwarded-host", known);
  for (const name of ["forwarded", "x-forwarded-port", "x-real-ip"])
    if (said[name] !== undefined) headers.push(name, said[name]);
}

/** Filters the headers of an answer: names and values in turn. Throws on an answer that cannot be passed on. */
export function answeredHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  cookies: CookieFilter,
  canHaveTrailers: boolean,
): (string | string[])[] {
  const coding = headers["transfer-encoding"];
  // Only chunks are undone on the way.
  if (coding !== undefined && String(coding).toLowerCase() !== "chunked")
    throw new Error("The answer has a Transfer-Encoding that is not supported.");
  const nominated = tokensOf(headers["connection"]);
  const kept: (string | string[])[] = [];
  for (const name of Object.keys(headers)) {
    const value = headers[name];
    if (value === undefined || nominated?.has(name)) continue;
    if (name === "trailer") {
      // Node refuses to announce trailers that the framing cannot carry.
      if (canHaveTrailers && headers["content-length"] === undefined) kept.push(name, value);
    } else if (name === "set-cookie") {
      const allowed = (typeof value === "string" ? [value] : value).filter((one) => cookies.mayBeSet(one));
      if (allowed.length > 0) kept.push(name, allowed);
    } else if (name === "clear-site-data") {
      const cleared = cookies.ofClearing(String(value));
      if (cleared !== undefined) kept.push(name, cleared);
    } else if (!hopByHop.has(name)) kept.push(name, value);
  }
  return kept;
}

function nominatedHeaders(raw: readonly string[]): ReadonlySet<string> | undefined {
  const found: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index]!;
    if (name.length === 10 && name.toLowerCase() === "connection") found.push(raw[index + 1]!);
  }
  return found.length === 0 ? undefined : tokensOf(found);
}

/** What `Connection` names besides the usual, which is most often nothing. */
function tokensOf(value: string | readonly string[] | undefined): ReadonlySet<string> | undefined {
  if (value === undefined) return undefined;
  const text = typeof value === "string" ? value : value.length === 1 ? value[0]! : value.join(",");
  if (text === "keep-alive" || text === "close") return undefined;
  return new Set(text.split(",").map((token) => token.trim().toLowerCase()));
}

const otherCoding: HeadRefusal = {
  status: 501,
  text: "This Transfer-Encoding is not supported. Send the body chunked, or with its Content-Length.",
};
const twoHosts: HeadRefusal = { status: 400, text: "The request has two Host headers. Send one." };
const ambiguousLength: HeadRefusal = { status: 400, text: "The length of the body is stated twice. State it once." };
