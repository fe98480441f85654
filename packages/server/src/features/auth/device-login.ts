import type { IssuedTokens, StartedDeviceLogin } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Transaction } from "../../platform/database/index.ts";
import { Refusal } from "../../platform/errors/index.ts";
import type { Principal } from "../../platform/http/index.ts";
import { randomText, sortableId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { hasSecret } from "./authenticator.ts";
import { type DeviceRow, insertDevice, lockDevice, notePoll, removeDevice } from "./device-store.ts";
import { issueTokens } from "./issue-tokens.ts";
import { newSecret, readToken, writeToken } from "./token-format.ts";
import { findUser, lockUser } from "./user-store.ts";

interface Deps {
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** Where people reach the service. */
  readonly publicUrl: string;
}

const loginMs = 10 * 60_000;
const intervalSeconds = 5;

/** Begins the login of a device; somebody must approve it. */
export async function beginDeviceLogin(
  trx: Transaction,
  { clock, keyring, publicUrl }: Deps,
  { device, address }: { readonly device: string; readonly address: string },
): Promise<StartedDeviceLogin> {
  const now = clock.now();
  const id = sortableId(now.getTime());
  const secret = newSecret();
  const userCode = newUserCode();
  const expiresAt = new Date(now.getTime() + loginMs);
  const hashed = { hash: keyring.hmac(secret), key_version: keyring.version };
  await insertDevice(trx, {
    ...{ id, ...hashed, user_code: userCode, device, address },
    ...{ created_at: now, expires_at: expiresAt },
  });
  const page = `${publicUrl}/device`;
  return {
    device_code: writeToken({ kind: "device", id, secret }),
    user_code: userCode,
    verification_uri: page,
    verification_uri_complete: `${page}?code=${userCode}`,
    expires_in: loginMs / 1000,
    interval: intervalSeconds,
  };
}

/** What became of a device's question. */
type Polled =
  | { readonly kind: "issued"; readonly tokens: IssuedTokens; readonly owner: Pick<Principal, "userId" | "userName"> }
  | { readonly kind: "waiting" | "too_soon" | "denied" | "expired" | "invalid" };

/** Gives a device its tokens, once, if somebody has let it in. */
export async function pollDeviceLogin(trx: Transaction, deps: Deps, text: string): Promise<Polled> {
  const token = readToken(text);
  if (token?.kind !== "device") return { kind: "invalid" };
  const row = await lockDevice(trx, token.id);
  if (row === undefined || !hasSecret(deps.keyring, token.secret, row)) return { kind: "invalid" };
  const now = deps.clock.now();
  if (row.expires_at <= now) return { kind: "expired" };
  if (row.decision === "deny") return { kind: "denied" };
  if (row.decision === "approve") return issue(trx, deps, row);
  const isTooSoon = row.polled_at !== null && now.getTime() - row.polled_at.getTime() < (intervalSeconds - 1) * 1000;
  await notePoll(trx, row.id, now);
  return { kind: isTooSoon ? "too_soon" : "waiting" };
}

async function issue(trx: Transaction, deps: Deps, { id, user_id, device, address }: DeviceRow): Promise<Polled> {
  await removeDevice(trx, id);
  // Whoever ends the user's tokens must see the ones that are made here; a removed user gets none.
  const user = user_id === null ? undefined : await lockUser(trx, user_id);
  if (user === undefined || (await findUser(trx, user.id)) === undefined) return { kind: "denied" };
  const tokens = await issueTokens(trx, deps, user.id, { source: { device, address } });
  return { kind: "issued", tokens, owner: { userId: user.id, userName: user.name } };
}

/** Without vowels, which make words, and without what looks alike: 20 letters, 34 bits. */
const letters = "BCDFGHJKLMNPQRSTVWXZ";

function newUserCode(): string {
  let code = "";
  while (code.length < 8) {
    // Values beyond the letters are drawn again: each letter must be as likely.
    const value = "0123456789abcdefghjkmnpqrstvwxyz".indexOf(randomText(1));
    code += letters[value] ?? "";
  }
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** A code as it is stored, however somebody typed it; what can be no code is not found. */
export function readUserCode(typed: string): string {
  const code = typed.toUpperCase().replace(/[\s-]/g, "");
  if (!new RegExp(`^[${letters}]{8}$`).test(code)) throw noSuchDevice();
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

export function noSuchDevice(): Refusal {
  return new Refusal("not_found", "Not found: no device waits with this code. Codes work for ten minutes.");
}
