import type { JWTPayload, JWTVerifyGetKey } from "jose";
import type { Clock } from "../../../platform/clock.ts";
import { Refusal } from "../../../platform/errors/index.ts";
import { withoutEndSlashes } from "../../../platform/without-end-slashes.ts";
import type { Dial } from "./provider.ts";
import { readAnswer } from "./read-json.ts";

interface Deps {
  readonly clock: Clock;
  readonly dial: Dial;
}

/** Signatures by a key pair alone: with `none` or a shared secret, whoever reads the public key could sign. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const clockToleranceSeconds = 30;
const timeoutMs = 10_000;
const maxAnswerBytes = 2 ** 20;
const discoveredMs = 3600_000;

/** Verifies ID tokens of the issuers that rules name; the library does all that is signed or compared. */
export class TokenVerifier {
  readonly #deps: Deps;
  readonly #issuers: ReadonlySet<string>;
  readonly #keys = new Map<string, { readonly value: Promise<JWTVerifyGetKey>; readonly untilMs: number }>();

  constructor(deps: Deps, issuers: Iterable<string>) {
    this.#deps = deps;
    this.#issuers = new Set(issuers);
  }

  /** The claims of a token; undefined: it is not valid, or of nobody whom a rule names. */
  async verify(token: string): Promise<(JWTPayload & { readonly iss: string; readonly exp: number }) | undefined> {
    const { decodeJwt, jwtVerify, errors } = await import("jose");
    let issuer: string | undefined;
    try {
      issuer = decodeJwt(token).iss;
    } catch {
      return undefined;
    }
    // Only addresses of the operator are ever asked, whatever a token says.
    if (issuer === undefined || !this.#issuers.has(issuer)) return undefined;
    const keys = await this.#keysOf(issuer);
    try {
      const { payload } = await jwtVerify(token, keys, {
        ...{ issuer, algorithms, clockTolerance: clockToleranceSeconds },
        currentDate: this.#deps.clock.now(),
        requiredClaims: ["exp", "iat", "aud", "sub"],
      });
      return payload as JWTPayload & { iss: string; exp: number };
    } catch (error) {
      if (error instanceof errors.JWKSTimeout || !(error instanceof errors.JOSEError) || isUnreachable(error))
        throw unreachable(issuer, error);
      return undefined;
    }
  }

  #keysOf(issuer: string): Promise<JWTVerifyGetKey> {
    const nowMs = performance.now();
    const known = this.#keys.get(issuer);
    if (known !== undefined && nowMs < known.untilMs) return known.value;
    const value = this.#discover(issuer);
    this.#keys.set(issuer, { value, untilMs: nowMs + discoveredMs });
    value.catch(() => this.#keys.delete(issuer));
    return value;
  }

  async #discover(issuer: string): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const { dial } = this.#deps;
    try {
      const url = `${withoutEndSlashes(issuer)}/.well-known/openid-configuration`;
      const response = await dial(url, { signal: AbortSignal.timeout(timeoutMs) });
      if (response.status !== 200) throw new Error(`It answered with status ${response.status}.`);
      const metadata = JSON.parse(await readAnswer(response, maxAnswerBytes)) as {
        issuer?: unknown;
        jwks_uri?: unknown;
      };
      if (metadata.issuer !== issuer) throw new Error("It says that it is another issuer.");
      const keysUrl = new URL(String(metadata.jwks_uri));
      if (keysUrl.protocol !== "https:" && keysUrl.origin !== new URL(issuer).origin)
        throw new Error("Its keys are not at an https address.");
      const fetch = async (address: string, init: RequestInit) => {
        const answer = await dial(address, init);
        return new Response(answer.status === 200 ? await readAnswer(answer, maxAnswerBytes) : null, {
          status: answer.status,
        });
      };
      return createRemoteJWKSet(keysUrl, { [customFetch]: fetch, timeoutDuration: timeoutMs });
    } catch (error) {
      throw unreachable(issuer, error);
    }
  }
}

/** The library's way to say that the keys could not be had. */
function isUnreachable(error: { readonly code?: string }): boolean {
  return error.code === "ERR_JOSE_GENERIC" || error.code === "ERR_JWKS_INVALID";
}

function unreachable(issuer: string, cause: unknown): Refusal {
  return new Refusal("provider_unavailable", `The keys of ${issuer} cannot be read.`, { cause });
}
