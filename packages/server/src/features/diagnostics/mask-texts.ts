import type { Masker } from "../../platform/secrets/index.ts";

/** Longer texts let others have their turn. */
const maxAtOnce = 10_000;

/** A value whose texts are masked, also the passwords of addresses that they name. */
export async function maskTexts<T>(value: T, masker: Pick<Masker, "mask" | "maskInSlices">): Promise<T> {
  if (typeof value === "string") {
    const masked = value.length > maxAtOnce ? await masker.maskInSlices(value) : masker.mask(value);
    return withoutPasswords(masked) as T;
  }
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
