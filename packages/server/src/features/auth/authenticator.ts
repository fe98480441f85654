import { timingSafeEqual } from "node:crypto";
import { scopesOfRole } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import type { Principal } from "../../platform/http/index.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { type Credential, findApiKey, findToken, touchUsed } from "./store.ts";
import { readToken, type Token } from "./token-format.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
}

interface CachedToken {
  readonly principal: Principal;
  readonly tokenId: string;
  /** When it was looked up, and when to look it up again; a token revoked on another node works at most this long. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

/** The channel on which nodes notify each other of revoked credentials. */
export const revocationsChannel = "slipway_revocations";

const cacheMs = 5_000;
const maxCached = 10_000;

/** Finds the owner of a token. It caches valid tokens for some seconds, so that not every request reads the database. */
export class Authenticator {
  readonly #deps: Deps;
  readonly #cache = new Map<string, CachedToken>();
  readonly #used = new Set<string>();
  /** Counts clearings of the cache: a token looked up before one must not be cached after it. */
  #clearings = 0;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  readonly authenticate = async (text: string): Promise<Principal | undefined> => {
    const nowMs = this.#deps.clock.now().getTime();
    const cached = this.#cache.get(text);
    // A clock that was set back would let it work until the clock has caught up.
    if (cached !== undefined && nowMs >= cached.sinceMs && nowMs < cached.untilMs) {
      this.#used.add(cached.tokenId);
      return cached.principal;
    }
    const token = readToken(text);
    if (token === undefined || token.kind === "refresh" || token.kind === "code") return undefined;
    const clearings = this.#clearings;
    const credential = await this.#find(token);
    if (credential === undefined || !isGood(this.#deps.keyring, token, credential, nowMs)) {
      this.#cache.delete(text);
      return undefined;
    }
    const principal = toPrincipal(token, credential);
    this.#used.add(token.id);
    if (clearings !== this.#clearings) return principal;
    if (this.#cache.size >= maxCached) this.#cache.clear();
    const untilMs = Math.min(nowMs + cacheMs, msOf(credential.expires_at), msOf(credential.access_until));
    this.#cache.set(text, { principal, tokenId: token.id, sinceMs: nowMs, untilMs });
    return principal;
  };

  /** Clears the cache, because a credential was revoked. */
  forget(): void {
    this.#clearings += 1;
    this.#cache.clear();
  }

  /** Stores which tokens were used since the last call. */
  async noteUse(): Promise<void> {
    if (this.#used.size === 0) return;
    const ids = [...this.#used];
    this.#used.clear();
    await touchUsed(this.#deps.db, [...ids, ...ids.map((id) => `ak_${id}`)], this.#deps.clock.now());
  }

  async #find({ kind, id }: Token): Promise<Credential | undefined> {
    if (kind === "device") return undefined;
    return kind === "apiKey" ? findApiKey(this.#deps.db, `ak_${id}`) : findToken(this.#deps.db, id, kind);
  }
}

/** Whether the secret matches, the credential is neither expired nor revoked, and its user's provider has not fallen silent. */
export function isGood(keyring: Keyring, { secret }: Token, credential: Credential, nowMs: number): boolean {
  const hasEnded = Math.min(msOf(credential.expires_at), msOf(credential.access_until)) <= nowMs;
  return hasSecret(keyring, secret, credential) && !hasEnded && credential.revoked_at === null;
}

function msOf(end: Date | null): number {
  return end?.getTime() ?? Number.POSITIVE_INFINITY;
}

/** Whether the secret matches, in constant time. */
export function hasSecret(
  keyring: Keyring,
  secret: string,
  { key_version, hash }: Pick<Credential, "key_version" | "hash">,
): boolean {
  // Without its master key, a token cannot be verified.
  return keyring.has(key_version) && timingSafeEqual(keyring.hmac(secret, key_version), hash);
}

function toPrincipal({ kind, id }: Token, credential: Credential): Principal {
  const { user_id, user_name, role, scopes, team_ids, only_team_id } = credential;
  const roleScopes = scopesOfRole[role];
  const only = only_team_id === null ? {} : { onlyTeamId: only_team_id };
  const user = { userId: user_id, userName: user_name, role, teamIds: team_ids, ...only };
  if (kind !== "apiKey") return { ...user, id: user_id, tokenId: id, scopes: new Set(roleScopes) };
  const allowed = new Set((scopes ?? []).filter((scope) => roleScopes.includes(scope)));
  return { ...user, id: `ak_${id}`, apiKeyId: `ak_${id}`, scopes: allowed };
}
