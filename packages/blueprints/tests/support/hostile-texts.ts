import { stripTypeScriptTypes } from "node:module";
import fc from "fast-check";
import { expect } from "vitest";
import { soakRuns } from "../../../../tools/soak-runs.ts";
import { type Built, buildDocument } from "./build-document.ts";

const nasty = [
  "'",
  '"',
  "`",
  "\\",
  ["$", "{process.exit(1)}"].join(""),
  "</script><script>alert(1)</script>",
  "*/",
  "-->",
  '"""',
  "\n",
  "\r\n",
  "\u2028",
  "__proto__",
  "constructor",
  "../..",
  "🦆",
  "%s",
  "{{x}}",
  "#{x}",
  "$(id)",
  "|",
  "- a: b",
  ": ",
  "%{x}",
  "]]>",
  "a".repeat(300),
];

/** Texts that break out of code, markup and paths that do not quote them. */
export const hostileText = fc
  .array(fc.oneof(fc.constantFrom(...nasty), fc.string({ maxLength: 8 })), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));

interface HostileOptions {
  readonly numRuns: number;
  /** What must hold of each result, beside that its files are well formed. */
  readonly check?: (built: Built) => void;
}

/** Builds documents that hold hostile texts: `choose` replaces some of the texts it is given. */
export async function expectWellFormedWith(
  documentWith: (texts: readonly string[], choose: (text: string) => string) => string,
  { numRuns, check }: HostileOptions,
): Promise<void> {
  const texts = fc.array(hostileText, { minLength: 2, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(texts, fc.integer({ min: 1, max: 8 }), async (chosen, oneIn) => {
      const built = await buildDocument(documentWith(chosen, someTexts(chosen, oneIn)));
      expectWellFormed(built);
      check?.(built);
    }),
    { numRuns: soakRuns(numRuns) },
  );
}

/** A copy of the value in which some of the texts, and of the keys that an author chose, are others. */
export function replaceTexts(value: unknown, choose: (text: string) => string): unknown {
  if (typeof value === "string") return choose(value);
  if (Array.isArray(value)) return value.map((member) => replaceTexts(member, choose));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, replaceTexts(member, choose)]));
}

/** The same for the texts below these keys alone: others are words of the vocabulary, and would be refused. */
export function replaceTextsOf(value: unknown, keys: readonly string[], choose: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((member) => replaceTextsOf(member, keys, choose));
  if (typeof value !== "object" || value === null) return value;
  const replaced = ([key, member]: [string, unknown]) =>
    keys.includes(key) ? replaceTexts(member, (text) => choose(text) || text) : replaceTextsOf(member, keys, choose);
  return Object.fromEntries(Object.entries(value).map((entry) => [entry[0], replaced(entry)]));
}

/** Replaces each text with the chance of one in so many, in an order that the numbers decide. */
export function someTexts(texts: readonly string[], oneIn: number): (text: string) => string {
  let count = 0;
  return (text) => {
    count += 1;
    return (count * 7) % oneIn === texts.length % oneIn ? texts[count % texts.length]! : text;
  };
}

/** Every script parses, every JSON file too, and no page has got a script that was not written for it. */
export function expectWellFormed({ files }: Built): void {
  for (const [path, { text }] of files) {
    expect(path).toMatch(/^(?!\/)(?!.*(?:^|\/)\.\.(?:\/|$))[^\0]+$/);
    if (/\.m?js$/.test(path)) expect(() => stripTypeScriptTypes(text), path).not.toThrow();
    if (/\.(?:json|webmanifest)$/.test(path)) expect(() => JSON.parse(text), path).not.toThrow();
    if (path.endsWith(".html")) expect(text, path).not.toContain("<script>alert");
  }
}
