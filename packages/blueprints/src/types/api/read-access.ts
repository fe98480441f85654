import type { Unmet } from "../../plugin.ts";
import type { AccessModel, AccountsModel, AuthModel } from "./model.ts";
import type { DraftResource } from "./read-data-model.ts";

const kinds = ["read", "create", "change", "delete"] as const;

/** Who may do what with a resource, and the field with its owner. */
export function readAccess(
  { name, written, pointer }: DraftResource,
  { accounts }: AuthModel,
  unmet: Unmet[],
): { readonly access: AccessModel; readonly owner?: string } {
  const isAccounts = accounts?.resource === name;
  const given = written.access ?? (isAccounts ? {} : undefined);
  const entries = kinds.map((kind) => {
    const who = given?.[kind];
    if (who === undefined) return [kind, isAccounts ? ofAccounts(accounts, kind) : ["anyone"]] as const;
    return [kind, readWho([who].flat(), accounts, `${pointer}/access/${kind}`, unmet)] as const;
  });
  const access = Object.fromEntries(entries) as unknown as AccessModel;
  if (isAccounts) return { access, owner: "id" };
  const isOwned = Object.values(access).some((who: readonly string[]) => who.includes("owner"));
  const owner = written.owner ?? (isOwned ? "owner_id" : undefined);
  if (owner !== undefined && accounts === undefined)
    unmet.push({
      pointer: `${pointer}/owner`,
      reason: "Nobody has an account: say in 'auth' where people sign up or log in.",
    });
  return owner === undefined ? { access } : { access, owner };
}

/** Accounts are closed where nothing is said: each reads and changes itself, and a role `admin` manages all. */
function ofAccounts({ roles }: AccountsModel, kind: (typeof kinds)[number]): readonly string[] {
  const admins = roles.includes("admin") ? ["admin"] : [];
  return kind === "create" ? admins : ["owner", ...admins];
}

/** The words and roles, without those that nobody has: what they alone may do nobody may. */
export function readWho(
  words: readonly string[],
  accounts: AccountsModel | undefined,
  pointer: string,
  unmet: Unmet[],
): readonly string[] {
  const roles = accounts?.roles ?? [];
  const known = ["anyone", "signed_in", "owner", "nobody", ...roles];
  const unknown = words.filter((word) => !known.includes(word));
  for (const word of unknown)
    unmet.push({
      pointer,
      reason: `There is no role '${word}', so nobody has it: 'auth.roles' has ${roles.join(", ") || "none"}.`,
    });
  return words.filter((word) => known.includes(word) && word !== "nobody");
}
