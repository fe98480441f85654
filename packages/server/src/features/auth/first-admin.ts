import { open, readFile, rename, rm } from "node:fs/promises";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { isGood } from "./authenticator.ts";
import { makeToken } from "./issue-tokens.ts";
import { findToken, findUserByName, insertUser, revokeTokensOfUser } from "./store.ts";
import { readToken } from "./token-format.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** Where the token is written for the command line on this machine to find. */
  readonly file: string;
}

interface AdminToken {
  readonly userId: string;
  readonly token: string;
}

const adminName = "admin";

/** At the first start: an administrator, and the token with which to begin. Tells whether the token can be found here. */
export async function ensureAdmin(parts: Deps): Promise<{ hasTokenFile: boolean }> {
  await finishRotation(parts);
  // Another node may have made the administrator, and has the token: making a new one would end that.
  if ((await findUserByName(parts.db, adminName)) === undefined) await giveToken(parts, "first");
  return { hasTokenFile: (await read(parts.file)) !== undefined };
}

/** After a crash between the commit and the renaming, the good token is still in the draft. */
async function finishRotation({ db, clock, keyring, file }: Deps): Promise<void> {
  const token = readToken((await read(draftOf(file)))?.trim() ?? "");
  if (token === undefined) return;
  const credential = await findToken(db, token.id, "access");
  if (credential !== undefined && isGood(keyring, token, credential, clock.now().getTime()))
    await rename(draftOf(file), file);
}

/** A new token for the administrator; all earlier ones of theirs work no more. */
export async function rotateAdminToken(parts: Deps): Promise<AdminToken> {
  const given = await giveToken(parts, "next");
  if (given === undefined) throw new Error("The administrator got no token.");
  return given;
}

/** The first token is for who makes the administrator: of several nodes that start at once, one. */
async function giveToken({ db, clock, keyring, file }: Deps, which: "first" | "next"): Promise<AdminToken | undefined> {
  const now = clock.now();
  const given = await db.transaction().execute(async (trx) => {
    const user = { id: newId("user", now.getTime()), name: adminName, role: "svc:admin", created_at: now } as const;
    if (!(await insertUser(trx, user)) && which === "first") return undefined;
    const admin = await findUserByName(trx, adminName);
    if (admin === undefined) throw new Error("The administrator is gone.");
    await revokeTokensOfUser(trx, admin.id, now);
    const request = { ip: "this machine", id: "", principal: undefined };
    const actor = { request, principal: { userId: admin.id, userName: admin.name } };
    await recordChange(trx, clock, actor, { action: "admin_token.rotate", target: admin.id });
    const token = await makeToken(trx, { clock, keyring }, admin.id, "access", null);
    // Before the commit: a token that is good must not be lost. One in a draft that is not good harms nobody.
    await writeSecret(draftOf(file), `${token}\n`);
    return { userId: admin.id, token };
  });
  if (given !== undefined) await rename(draftOf(file), file);
  return given;
}

function draftOf(file: string): string {
  return `${file}.new`;
}

async function read(file: string): Promise<string | undefined> {
  return readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return undefined;
    throw error;
  });
}

async function writeSecret(file: string, text: string): Promise<void> {
  await rm(file, { force: true });
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile(text);
  await handle.sync();
}
