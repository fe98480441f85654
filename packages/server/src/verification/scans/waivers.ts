import type { Finding, Waiver } from "./finding.ts";

/** The document's waivers that still count today, and those that are over. */
export function sortWaivers(waivers: readonly Waiver[], now: Date): { valid: Waiver[]; expired: Waiver[] } {
  const today = now.toISOString().slice(0, 10);
  const isOver = ({ expires }: Waiver) => expires < today;
  return { valid: waivers.filter((one) => !isOver(one)), expired: waivers.filter(isOver) };
}

/** The waiver that covers a rule in a file. */
export function waiverFor(
  waivers: readonly Waiver[],
  { ruleId, path }: Pick<Finding, "ruleId" | "path">,
): Waiver | undefined {
  return waivers.find((one) => one.rule === ruleId && covers(one.path, path));
}

/** A waiver's path names a file, or with a slash at its end all files of a folder. */
function covers(named: string, path: string): boolean {
  return named === path || (named.endsWith("/") && path.startsWith(named.replace(/^\.\//, "")));
}
