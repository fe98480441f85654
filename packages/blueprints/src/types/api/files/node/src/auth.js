import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
    const known = await readFile(path, "utf8").catch(() => undefined);
    if (known !== undefined) return new Auth(known.trim(), { header });
    const made = randomBytes(24).toString("base64url");
    await mkdir(folder, { recursive: true });
    await writeFile(path, `${made}\n`, { mode: 0o600 });
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
