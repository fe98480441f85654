import type { FederationRule } from "./settings.ts";

/** The first rule that a verified token of its issuer and audience fulfils. */
export function matchRule(
  rules: readonly FederationRule[],
  claims: Readonly<Record<string, unknown>>,
): FederationRule | undefined {
  return rules.find(
    (rule) =>
      rule.issuer === claims["iss"] &&
      rule.audience === onlyAudience(claims["aud"]) &&
      [...rule.claims].every(([name, pattern]) => matches(pattern, claims[name])),
  );
}

/** A token for several services would work at each of them. */
function onlyAudience(audience: unknown): unknown {
  return Array.isArray(audience) && audience.length === 1 ? audience[0] : audience;
}

function matches(pattern: string, value: unknown): boolean {
  if (!["string", "number", "boolean"].includes(typeof value)) return false;
  const text = String(value);
  const parts = pattern.split("*");
  if (parts.length === 1) return text === pattern;
  const [first = "", last = ""] = [parts[0], parts.at(-1)];
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  // The parts between the stars, each after the one before: without a pattern that could backtrack.
  let at = first.length;
  const end = text.length - last.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}
