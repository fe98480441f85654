import { open, readFile, rename, rm } from "node:fs/promises";
import type { SignInCode } from "@slipway/contract";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/index.ts";
import { newId } from "../../platform/ids.ts";
import type { Keyring } from "../../platform/secrets/index.ts";
import { recordChange } from "../audit/index.ts";
import { isGood } from "./authenticator.ts";
import { makeToken } from "./issue-tokens.ts";
import { createSignInCode } from "./sign-in-codes.ts";
import { findToken, revokeTokensOfUser } from "./store.ts";
import { readToken } from "./token-format.ts";
import { findUserByName, hasHadUsers, insertUser, updateRole } from "./user-store.ts";

interface Deps {
  readonly db: Database;
  readonly clock: Clock;
  readonly keyring: Keyring;
  /** The file from which the command line on this machine reads the token. */
  readonly file: string;
}

interface AdminToken {
  readonly userId: string;
  readonly token: string;
}

const adminName = "admin";

/** At the first start, creates the administrator and writes their token. Returns whether this machine has the token file. */
export async function ensureAdmin(deps: Deps): Promise<{ hasTokenFile: boolean }> {
  await finishRotation(deps);
  // Another node may have created the administrator; a new token would revoke the one it wrote. Nor does an administrator who
  // was removed come back by a restart.
  if (!(await hasHadUsers(deps.db))) await issueAdminToken(deps, "first");
  return { hasTokenFile: (await read(deps.file)) !== undefined };
}

/** A code that signs a browser in as the administrator; undefined if there is none any more. */
export async function createAdminCode({ db, clock, keyring }: Omit<Deps, "file">): Promise<SignInCode | undefined> {
  const admin = await findUserByName(db, adminName);
  if (admin?.role !== "svc:admin") return undefined;
  return db.transaction().execute((trx) => createSignInCode(trx, { clock, keyring }, admin.id));
}

/** After a crash between commit and rename, the valid token is still in the draft. */
async function finishRotation({ db, clock, keyring, file }: Deps): Promise<void> {
  const token = readToken((await read(draftOf(file)))?.trim() ?? "");
  if (token === undefined) return;
  const credential = await findToken(db, token.id, "access");
  if (credential !== undefined && isGood(keyring, token, credential, clock.now().getTime()))
    await rename(draftOf(file), file);
}

/**
 * Issues a new token for the administrator and revokes all earlier ones. Whoever has the machine has the service: an
 * administrator who was removed is created again, one who was demoted gets the role back.
 */
export async function rotateAdminToken(deps: Deps): Promise<AdminToken> {
  const given = await issueAdminToken(deps, "next");
  if (given === undefined) throw new Error("The administrator was not given a token.");
  return given;
}

/** Of several nodes that start at once, only the one that creates the administrator gets the first token. */
async function issueAdminToken(
  { db, clock, keyring, file }: Deps,
  which: "first" | "next",
): Promise<AdminToken | undefined> {
  const now = clock.now();
  const given = await db.transaction().execute(async (trx) => {
    const user = { id: newId("user", now.getTime()), name: adminName, role: "svc:admin", created_at: now } as const;
    if (!(await insertUser(trx, user)) && which === "first") return undefined;
    const admin = await findUserByName(trx, adminName);
    if (admin === undefined) throw new Error("The administrator does not exist.");
    if (admin.role !== "svc:admin") await updateRole(trx, admin.id, "svc:admin");
    await revokeTokensOfUser(trx, admin.id, now);
    const request = { ip: "this machine", id: "", principal: undefined };
    const actor = { request, principal: { userId: admin.id, userName: admin.name } };
    await recordChange(trx, clock, actor, { action: "admin_token.rotate", target: admin.id });
    const token = await makeToken(trx, { clock, keyring }, { userId: admin.id }, "access", null);
    // Before the commit, so that no valid token is lost. After a rollback, the draft has an invalid one, which is harmless.
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
