import type { Severity, Spotted } from "../finding.ts";
import { lineCounter } from "../line-counter.ts";
import { findAssignedSecrets } from "./assigned-secrets.ts";
import { secretPatterns } from "./patterns.ts";
import { isPlaceholder } from "./placeholder.ts";
import { findByPreset } from "./preset.ts";

/** A secret by its place in a text. */
export interface FoundSecret {
  readonly id: string;
  readonly what: string;
  readonly severity: Severity;
  readonly start: number;
  readonly end: number;
}

/** Base64 that may hold a key, however much stands beside it. */
const encoded = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,}={0,2}(?![A-Za-z0-9+/=])/g;
/** More of one rule in one file say nothing new. Of another rule they do: a waiver is for a rule. */
const maxOfRule = 100;

/** Credentials in a text, whatever kind of file it is. */
export async function findSecrets(path: string, text: string): Promise<Spotted[]> {
  const found = [
    ...findByPattern(text),
    ...findAssignedSecrets(path, text),
    ...findEncoded(text),
    ...(await findByPreset(text)),
  ];
  const lineAt = lineCounter(text);
  return withoutOverlaps(found).map(({ id, what, severity, start, isLastListed }) => ({
    ruleId: `secrets/${id}`,
    severity,
    line: lineAt(start),
    message: `The file holds a ${what}.${isLastListed ? ` ${maxOfRule} of the kind are listed; there may be more.` : ""}`,
    remedy:
      "Revoke it, since the history keeps it. Take it out of the file and read it from a variable that `secrets` of the document declares.",
    scanner: "secrets",
  }));
}

function findByPattern(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { id, what, severity, pattern } of secretPatterns) {
    let count = 0;
    for (const match of text.matchAll(pattern)) {
      const value = match.slice(1).find((group) => group !== undefined) ?? match[0];
      if (id !== "private-key" && isPlaceholder(value)) continue;
      if (id === "private-key" && !holdsKey(text, match.index)) continue;
      if (id === "password-in-url" && isLocalDefault(match[0], value)) continue;
      const start = match.index + match[0].lastIndexOf(value);
      found.push({ id, what, severity, start, end: start + value.length });
      count += 1;
      if (count >= maxOfRule) break;
    }
  }
  return found;
}

/** A heading alone, as in a parser of such files, is no key. */
function holdsKey(text: string, at: number): boolean {
  const body = text.slice(at, at + 400).replace(/-----BEGIN[^-]{1,60}-----/, "");
  return /[A-Za-z0-9+/]{32}/.test(body.replaceAll(/\\n|["'+\s]/g, ""));
}

/** `postgres://postgres:postgres@localhost` is what every database on a developer's machine has. */
function isLocalDefault(url: string, password: string): boolean {
  const user = /:\/\/([^:]*):/.exec(url)?.[1] ?? "";
  const isLocal =
    /@(?:localhost|127\.0\.0\.1|\[::1\]|db|database|postgres|mysql|mongo|redis|rabbitmq)(?:[:/?]|$)/i.test(url);
  return (
    isLocal && (password === user || /^(?:pass(?:word)?|secret|test|dev|root|admin|guest|postgres)$/i.test(password))
  );
}

/** Secrets that stand in base64, as in a manifest of Kubernetes: decoded once, and looked at by the same shapes. */
function findEncoded(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const match of text.matchAll(encoded)) {
    const decoded = Buffer.from(match[0], "base64").toString("latin1");
    if (!/^[\t\n\r\x20-\x7e]+$/.test(decoded)) continue;
    // Each rule that finds something there has a place of its own in the piece.
    const inner = [...new Map(findByPattern(decoded).map((one) => [one.id, one])).values()];
    for (const [at, { id, severity, what }] of inner.slice(0, match[0].length).entries()) {
      const start = match.index + at;
      found.push({ id, severity, what: `${what}, in base64`, start, end: start + 1 });
    }
  }
  return found;
}

interface ListedSecret extends FoundSecret {
  /** Further ones of its kind are left out, if there are any. */
  readonly isLastListed: boolean;
}

/** Several patterns may know the same value: the first one names it. */
function withoutOverlaps(found: readonly FoundSecret[]): ListedSecret[] {
  const kept: ListedSecret[] = [];
  const counts = new Map<string, number>();
  for (const one of found) {
    const count = counts.get(one.id) ?? 0;
    if (count >= maxOfRule || kept.some(({ start, end }) => one.start < end && start < one.end)) continue;
    counts.set(one.id, count + 1);
    kept.push({ ...one, isLastListed: count + 1 === maxOfRule });
  }
  return kept;
}
