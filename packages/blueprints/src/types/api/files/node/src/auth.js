import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { chmod, link, mkdir, readFile, stat, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { HttpError } from "./http.js";

const tokenHours = 12;

/** Who may do what is protected: whoever brings the service's token, or one that a login gave out. */
export class Auth {
  #serviceToken;
  #header;

  constructor(serviceToken, { header = "authorization" } = {}) {
    this.#serviceToken = serviceToken;
    this.#header = header.toLowerCase();
  }

  /** The token of the environment; without one a random token is made once and kept in the data folder. */
  static async open({ token, folder, variable, header, say }) {
    if (token !== undefined && token !== "") return new Auth(token, { header });
    const path = join(folder, "token");
    const known = await tokenIn(path);
    if (known !== undefined) return new Auth(known, { header });
    await mkdir(folder, { recursive: true });
    const made = await makeToken(path);
    say(`${variable} is not set: a token was made and written to ${path}.`);
    return new Auth(made, { header });
  }

  /** Refuses a request that brings no valid token. */
  check(headers) {
    const given = String(headers[this.#header] ?? "").replace(/^Bearer\s+/i, "");
    if (given !== "" && (isSame(given, this.#serviceToken) || this.#isSigned(given))) return;
    throw new HttpError(401, "unauthorized", "Unauthorized: a valid token is needed.", {
      headers: { "www-authenticate": "Bearer" },
    });
  }

  /** A token for someone who has logged in. Signed, so that it is still good after a restart. */
  issue(subject, now = Date.now()) {
    const claims = JSON.stringify({ sub: subject, exp: Math.floor(now / 1000) + tokenHours * 3600 });
    const payload = Buffer.from(claims).toString("base64url");
    return `${payload}.${this.#sign(payload)}`;
  }

  #isSigned(token) {
    const [payload = "", signature = ""] = token.split(".");
    if (!isSame(signature, this.#sign(payload))) return false;
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8")).exp * 1000 > Date.now();
  }

  #sign(payload) {
    return createHmac("sha256", this.#serviceToken).update(payload).digest("base64url");
  }
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

/** Whether a rule such as `GET /api/export`, `/api/users/{id}` or `POST /api/*` covers a route. */
export function isProtected(rules, method, path) {
  return rules.some((rule) => {
    const [, verb = "", pattern] = /^(?:([A-Z]+|\*)\s+)?(.*)$/.exec(rule);
    if (verb !== "" && verb !== "*" && verb !== method) return false;
    if (pattern.endsWith("*")) return path.startsWith(pattern.slice(0, -1));
    return shapeOf(pattern) === shapeOf(path);
  });
}

function shapeOf(path) {
  return path.replace(/\{[^{}/]*\}|(?<=\/):\w+/g, "{}");
}
