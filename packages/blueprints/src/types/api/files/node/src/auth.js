import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { chmod, link, mkdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HttpError } from "./http.js";

const cookieName = "session";

/** Finds out who sends a request: by the service's token, or by one that a login gave out. */
export class Auth {
  #serviceToken;
  #header;
  #accounts;
  #hours;

  constructor(serviceToken, { header = "authorization", accounts, session_hours: hours = 12 } = {}) {
    this.#serviceToken = serviceToken;
    this.#header = header.toLowerCase();
    this.#accounts = accounts;
    this.#hours = hours;
  }

  /** The token of the environment; without one a random token is made once and kept in the data folder. */
  static async open({ token, folder, settings, say }) {
    if (token !== undefined && token !== "") return new Auth(token, settings);
    const path = join(folder, "token");
    const known = await tokenIn(path);
    if (known !== undefined) return new Auth(known, settings);
    await mkdir(folder, { recursive: true });
    const made = await makeToken(path);
    say(`${settings.token_variable} is not set: a token was made and written to ${path}.`);
    return new Auth(made, settings);
  }

  /** The actor of a request; undefined for anyone. What a browser sends by itself counts only from this site. */
  actorOf({ method, headers }, store) {
    const given = String(headers[this.#header] ?? "").replace(/^Bearer\s+/i, "");
    if (given !== "" && isSame(given, this.#serviceToken)) return { isService: true };
    const byToken = this.#accountOf(given, store);
    if (byToken !== undefined) return byToken;
    const byCookie = this.#accountOf(cookieIn(headers.cookie), store);
    if (byCookie !== undefined && !["GET", "HEAD", "OPTIONS"].includes(method)) refuseOtherSites(headers);
    return byCookie;
  }

  /** A token for an account. Signed, so that it is still good after a restart. */
  issue(account, now = Date.now()) {
    const until = now + this.#hours * 3_600_000;
    const payload = Buffer.from(JSON.stringify({ sub: account.id, iat: now, exp: until })).toString("base64url");
    return { token: `${payload}.${this.#sign(payload)}`, expires_at: new Date(until).toISOString() };
  }

  /** The cookie that carries a token; without one, the cookie that ends it. */
  cookie(token, headers) {
    const isSecure = headers["x-forwarded-proto"] === "https";
    const life = token === undefined ? "Max-Age=0" : `Max-Age=${this.#hours * 3600}`;
    return `${cookieName}=${token ?? ""}; Path=/; HttpOnly; SameSite=Lax; ${life}${isSecure ? "; Secure" : ""}`;
  }

  #accountOf(token, store) {
    if (this.#accounts === undefined || token === "") return undefined;
    const claims = this.#claimsOf(token);
    if (claims === undefined) return undefined;
    const account = store.collection(this.#accounts.resource).get(claims.sub);
    // Logging out, and a new password, end what was given out before.
    if (account === undefined || claims.iat < (account.tokens_from ?? 0)) return undefined;
    const role = account[this.#accounts.role_field] ?? undefined;
    return { account, ...(role !== undefined && { role }) };
  }

  #claimsOf(token) {
    const [payload = "", signature = ""] = token.split(".");
    if (!isSame(signature, this.#sign(payload))) return undefined;
    const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return claims.exp > Date.now() ? claims : undefined;
  }

  #sign(payload) {
    return createHmac("sha256", this.#serviceToken).update(payload).digest("base64url");
  }
}

function cookieIn(header = "") {
  const pairs = header.split(";").map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? "";
}

function refuseOtherSites({ origin, host }) {
  if (origin !== undefined && (!URL.canParse(origin) || new URL(origin).host !== host))
    throw new HttpError(403, "forbidden", "This was sent from another site.");
}

/** Undefined if there is none yet. */
async function tokenIn(path) {
  const text = await readFile(path, "utf8").catch((error) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
  return text?.trim();
}

/** Of two processes that start together, the first makes the token: a link is made whole, or not at all. */
async function makeToken(path) {
  const draft = `${path}.${process.pid}`;
  const isShared = ((await stat(dirname(path))).mode & 0o020) !== 0;
  await writeFile(draft, `${randomBytes(24).toString("base64url")}\n`, { mode: 0o600 });
  // Who may write into the folder may be the next version of the service, as another user.
  if (isShared) await chmod(draft, 0o660);
  await link(draft, path).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
  await unlink(draft);
  return tokenIn(path);
}

/** Compared in the same time wherever they differ. */
function isSame(a, b) {
  const digest = (text) => createHmac("sha256", "compare").update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
