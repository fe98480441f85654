import { createHash } from "node:crypto";
import { randomText } from "../../platform/ids.ts";

/** The prefix of each kind of token. */
const prefixes = {
  access: "spec_ut_",
  refresh: "spec_rt_",
  apiKey: "spec_sk_",
  code: "spec_oc_",
  session: "spec_ss_",
  device: "spec_dc_",
} as const;

type TokenKind = keyof typeof prefixes;

/** The kinds of tokens that belong to a user, and are no API keys. */
export type UserTokenKind = Exclude<TokenKind, "apiKey" | "device">;

export interface Token {
  readonly kind: TokenKind;
  /** 20 characters, by which the database finds the token. */
  readonly id: string;
  readonly secret: string;
}

const secretLength = 52; // 260 bits
const checksumLength = 6;

/** `<prefix><id>_<secret><checksum>`. By the checksum, scanners recognise leaked tokens and the service refuses mistyped ones. */
export function writeToken({ kind, id, secret }: Token): string {
  const text = `${prefixes[kind]}${id}_${secret}`;
  return text + checksum(text);
}

/** Parses a token; undefined if its format or checksum is wrong. */
export function readToken(text: string): Token | undefined {
  const match =
    /^(spec_(?:ut|rt|sk|oc|ss|dc)_)([0-9a-hjkmnp-tv-z]{20})_([0-9a-hjkmnp-tv-z]{52})([0-9a-hjkmnp-tv-z]{6})$/.exec(
      text,
    );
  if (match === null) return undefined;
  const [, prefix, id = "", secret = "", sum = ""] = match;
  if (checksum(text.slice(0, -checksumLength)) !== sum) return undefined;
  const kind = (Object.keys(prefixes) as TokenKind[]).find((known) => prefixes[known] === prefix);
  return kind && { kind, id, secret };
}

export function newSecret(): string {
  return randomText(secretLength);
}

const alphabet = "0123456789abcdefghjkmnpqrstvwxyz";

function checksum(text: string): string {
  const digest = createHash("sha256").update(text).digest();
  return Array.from(digest.subarray(0, checksumLength), (byte) => alphabet[byte % 32]).join("");
}
