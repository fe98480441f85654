import type { Masker } from "../../platform/secrets/index.ts";

/** A value whose texts are masked, also the passwords of addresses that they name. Others have their turns. */
export async function maskTexts<T>(value: T, masker: Pick<Masker, "maskInSlices">): Promise<T> {
  if (typeof value === "string") return withoutPasswords(await masker.maskInSlices(value)) as T;
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await maskTexts(item, masker));
    return items as T;
  }
  if (typeof value !== "object" || value === null) return value;
  const entries: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) entries.push([name, await maskTexts(item, masker)]);
  return Object.fromEntries(entries) as T;
}

function withoutPasswords(text: string): string {
  return text.replace(/(:\/\/[^\s/:@]{1,200}:)[^\s/@]{1,200}@/g, "$1***@");
}
