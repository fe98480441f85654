import { ProviderFailure } from "../secrets/index.ts";

/** The named values of a map that a provider answered. Its messages never contain one. */
export function pickValues(answer: unknown, names: readonly string[]): ReadonlyMap<string, string> {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer))
    throw new ProviderFailure("what it keeps is not a map of names and values.");
  const values = new Map<string, string>();
  for (const name of names) {
    const value = Object.hasOwn(answer, name) ? (answer as Readonly<Record<string, unknown>>)[name] : undefined;
    if (value === undefined || value === null) continue;
    if (typeof value === "object") throw new ProviderFailure(`its secret '${name}' is not a text.`);
    values.set(name, String(value));
  }
  return values;
}

/** The values of one secret that holds a JSON map. */
export function pickFromJson(text: string | undefined, names: readonly string[]): ReadonlyMap<string, string> {
  if (text === undefined) return new Map();
  try {
    return pickValues(JSON.parse(text), names);
  } catch (error) {
    if (error instanceof ProviderFailure) throw error;
    // Without the parser's message, which quotes the text.
    throw new ProviderFailure("what it keeps is not JSON, as the operator's 'format: json' says.");
  }
}
