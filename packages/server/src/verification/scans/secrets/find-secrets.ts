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

/** Base64 that long may hold a key; a longer piece is an image. */
const encoded = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4096}={0,2}(?![A-Za-z0-9+/=])/g;
/** More in one file say nothing new. */
const maxSecrets = 200;

/** Credentials in a text, whatever kind of file it is. */
export async function findSecrets(path: string, text: string): Promise<Spotted[]> {
  const found = [
    ...findByPattern(text),
    ...findAssignedSecrets(path, text),
    ...findEncoded(text),
    ...(await findByPreset(text)),
  ];
  const lineAt = lineCounter(text);
  return withoutOverlaps(found).map(({ id, what, severity, start }) => ({
    ruleId: `secrets/${id}`,
    severity,
    line: lineAt(start),
    message: `The file holds a ${what}.`,
    remedy:
      "Revoke it, since the history keeps it. Take it out of the file and read it from a variable that `secrets` of the document declares.",
    scanner: "secrets",
  }));
}

function findByPattern(text: string): FoundSecret[] {
  const found: FoundSecret[] = [];
  for (const { id, what, severity, pattern } of secretPatterns) {
    for (const match of text.matchAll(pattern)) {
      const value = match.slice(1).find((group) => group !== undefined) ?? match[0];
      if (id !== "private-key" && isPlaceholder(value)) continue;
      if (id === "private-key" && !holdsKey(text, match.index)) continue;
      if (id === "password-in-url" && isLocalDefault(match[0], value)) continue;
      const start = match.index + match[0].lastIndexOf(value);
      found.push({ id, what, severity, start, end: start + value.length });
      if (found.length >= maxSecrets) return found;
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
    const [inner] = findByPattern(decoded);
    if (inner === undefined) continue;
    const what = `${inner.what}, in base64`;
    found.push({ ...inner, what, start: match.index, end: match.index + match[0].length });
    if (found.length >= maxSecrets) break;
  }
  return found;
}

/** Several patterns may know the same value: the first one names it. */
function withoutOverlaps(found: readonly FoundSecret[]): FoundSecret[] {
  const kept: FoundSecret[] = [];
  for (const one of found) {
    if (!kept.some(({ start, end }) => one.start < end && start < one.end)) kept.push(one);
    if (kept.length >= maxSecrets) break;
  }
  return kept;
}
