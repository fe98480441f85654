import type { Unmet } from "../../plugin.ts";

/** The roles that accounts can have; undefined where there are no accounts. */
export type Roles = readonly string[] | undefined;

/** Reads who may see something. `anyone` is nothing at all; a word that nobody can fulfil is reported. */
export function readAccess(
  { roles, unmet }: { readonly roles: Roles; readonly unmet: Unmet[] },
  written: string | readonly string[] | undefined,
  pointer: string,
): { readonly access?: readonly string[] } {
  if (written === undefined) return {};
  const words = [written].flat();
  if (words.includes("anyone")) return {};
  if (roles === undefined) {
    unmet.push({ pointer, reason: "Nobody can log in: say under 'auth' which accounts or roles there are." });
    return { access: [] };
  }
  for (const word of words)
    if (word !== "signed_in" && !roles.includes(word))
      unmet.push({ pointer, reason: `There is no role '${word}' under 'auth'.` });
  return { access: words.filter((word) => word === "signed_in" || roles.includes(word)) };
}
