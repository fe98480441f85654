import { timingSafeEqual } from "node:crypto";
import type { Access, Endpoint, Scope } from "@slipway/contract";
import type { FastifyRequest } from "fastify";
import { Refusal } from "../errors/index.ts";
import type { FailedTokens } from "./failed-tokens.ts";
import type { Principal } from "./principal.ts";
import { sessionToken } from "./session-cookie.ts";

interface Deps {
  /** Who owns the token; undefined if it is not valid. */
  readonly authenticate: (token: string) => Promise<Principal | undefined>;
  readonly failedTokens: FailedTokens;
  /** The operator's token for reading metrics. */
  readonly metricsToken: string | undefined;
}

/** Decides who makes a request, and whether they may call the endpoint. */
export class AccessControl {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Who makes the request; undefined where the endpoint is open. Throws a Refusal. */
  async admit(request: FastifyRequest, { access }: Endpoint): Promise<Principal | undefined> {
    if (access.kind === "open") return undefined;
    const token = bearerToken(request);
    if (access.kind === "metrics" && isSameText(token, this.#deps.metricsToken)) return undefined;
    const principal = await this.#deps.authenticate(token);
    if (principal === undefined) {
      this.#deps.failedTokens.count(request.ip);
      throw unauthenticated("The token is not valid, has expired or was revoked.", 'error="invalid_token"');
    }
    requireAccess(principal, access);
    return principal;
  }

  /** Whether a request would be admitted again, to the same things. While the database is unavailable, it stays admitted. */
  async isStillAdmitted(request: FastifyRequest, endpoint: Endpoint): Promise<boolean> {
    return this.admit(request, endpoint).then(
      (principal) => readsTheSame(principal, request.principal),
      (error) => !(error instanceof Refusal),
    );
  }
}

/** Whoever has another role or other teams now asks anew, and gets what they may read now. */
function readsTheSame(now: Principal | undefined, before: Principal | undefined): boolean {
  if (now === undefined || before === undefined) return now === before;
  const hasSameTeams = now.teamIds.toSorted().join() === before.teamIds.toSorted().join();
  return now.role === before.role && now.onlyTeamId === before.onlyTeamId && hasSameTeams;
}

function bearerToken(request: FastifyRequest): string {
  const header = request.headers.authorization;
  const session = header === undefined ? sessionToken(request) : undefined;
  if (session !== undefined) return session;
  if (header === undefined) throw unauthenticated("Send a token: 'Authorization: Bearer <token>'.");
  const token = /^Bearer +([\w.~+/=-]{1,500})$/i.exec(header)?.[1];
  if (token === undefined)
    throw unauthenticated("The Authorization header must be 'Bearer <token>'.", 'error="invalid_request"');
  return token;
}

function unauthenticated(detail: string, parameters = ""): Refusal {
  const challenge = `Bearer realm="slipway"${parameters === "" ? "" : `, ${parameters}`}`;
  return new Refusal("unauthenticated", detail, { headers: { "www-authenticate": challenge } });
}

function requireAccess(principal: Principal, access: Exclude<Access, { kind: "open" }>): void {
  switch (access.kind) {
    case "scope":
      requireScope(principal, access.scope);
      return;
    case "anyScope": {
      if (access.scopes.some((scope) => principal.scopes.has(scope))) return;
      throw new Refusal("forbidden", `This needs one of the scopes '${access.scopes.join("', '")}'.`, {
        headers: {
          "www-authenticate": `Bearer realm="slipway", error="insufficient_scope", scope="${access.scopes.join(" ")}"`,
        },
      });
    }
    case "user":
      if (principal.apiKeyId !== undefined)
        throw new Refusal("forbidden", "This needs a user token; an API key cannot do it.");
      if (access.roles.includes(principal.role)) return;
      throw new Refusal("forbidden", `This needs the role ${access.roles.join(" or ")}; yours is ${principal.role}.`);
    case "metrics":
      if (principal.role === "svc:admin" && principal.apiKeyId === undefined) return;
      throw new Refusal("forbidden", "This needs the role svc:admin, or the operator's metrics token.");
  }
}

/** Refuses a principal without the scope. */
export function requireScope(principal: Principal, scope: Scope): void {
  if (principal.scopes.has(scope)) return;
  const who = principal.apiKeyId === undefined ? `the role ${principal.role}` : "this API key";
  throw new Refusal("forbidden", `This needs the scope '${scope}', which ${who} does not have.`, {
    headers: { "www-authenticate": `Bearer realm="slipway", error="insufficient_scope", scope="${scope}"` },
  });
}

function isSameText(given: string, expected: string | undefined): boolean {
  if (expected === undefined) return false;
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}
