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

interface Known {
  readonly principal: Principal;
  readonly tokenId: string;
  /** Looked up again then; what was revoked elsewhere works no longer than this. */
  readonly untilMs: number;
}

/** The channel on which nodes tell each other that something was revoked. */
export const revocationsChannel = "slipway_revocations";

const knownMs = 5_000;
const maxKnown = 10_000;

/** Tells whose token it is. Good tokens are remembered for some seconds, so that each request need not ask the database. */
export class Authenticator {
  readonly #parts: Deps;
  readonly #known = new Map<string, Known>();
  readonly #used = new Set<string>();
  /** How often things were forgotten: what was looked up before that must not be remembered after it. */
  #forgotten = 0;

  constructor(parts: Deps) {
    this.#parts = parts;
  }

  readonly authenticate = async (text: string): Promise<Principal | undefined> => {
    const nowMs = this.#parts.clock.now().getTime();
    const known = this.#known.get(text);
    if (known !== undefined && nowMs < known.untilMs) {
      this.#used.add(known.tokenId);
      return known.principal;
    }
    const token = readToken(text);
    if (token === undefined || token.kind === "refresh") return undefined;
    const forgotten = this.#forgotten;
    const credential = await this.#find(token);
    if (credential === undefined || !isGood(this.#parts.keyring, token, credential, nowMs)) {
      this.#known.delete(text);
      return undefined;
    }
    const principal = toPrincipal(token, credential);
    this.#used.add(token.id);
    if (forgotten !== this.#forgotten) return principal;
    if (this.#known.size >= maxKnown) this.#known.clear();
    const endsMs = credential.expires_at?.getTime() ?? Number.POSITIVE_INFINITY;
    this.#known.set(text, { principal, tokenId: token.id, untilMs: Math.min(nowMs + knownMs, endsMs) });
    return principal;
  };

  /** Forgets what is remembered: something was revoked. */
  forget(): void {
    this.#forgotten += 1;
    this.#known.clear();
  }

  /** Writes down which tokens were used since the last time. */
  async noteUse(): Promise<void> {
    if (this.#used.size === 0) return;
    const ids = [...this.#used];
    this.#used.clear();
    await touchUsed(this.#parts.db, [...ids, ...ids.map((id) => `ak_${id}`)], this.#parts.clock.now());
  }

  #find({ kind, id }: Token): Promise<Credential | undefined> {
    return kind === "apiKey" ? findApiKey(this.#parts.db, `ak_${id}`) : findToken(this.#parts.db, id, "access");
  }
}

/** Not expired, not revoked, and the secret is the one that was given out; compared in constant time. */
export function isGood(keyring: Keyring, { secret }: Token, credential: Credential, nowMs: number): boolean {
  // Without the master key it was made with, a token cannot be told from a wrong one.
  if (!keyring.has(credential.key_version)) return false;
  const isOurs = timingSafeEqual(keyring.hmac(secret, credential.key_version), credential.hash);
  const hasEnded = credential.expires_at !== null && credential.expires_at.getTime() <= nowMs;
  return isOurs && !hasEnded && credential.revoked_at === null;
}

function toPrincipal({ kind, id }: Token, { user_id, user_name, role, scopes }: Credential): Principal {
  const ofRole = scopesOfRole[role];
  const user = { userId: user_id, userName: user_name, role };
  if (kind !== "apiKey") return { ...user, id: user_id, scopes: new Set(ofRole) };
  const met = new Set((scopes ?? []).filter((scope) => ofRole.includes(scope)));
  return { ...user, id: `ak_${id}`, apiKeyId: `ak_${id}`, scopes: met };
}
