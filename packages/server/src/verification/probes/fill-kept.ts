import { textOf } from "./carried-values.ts";

type Kept = ReadonlyMap<string, unknown>;

/** A filled request would be larger than anybody means. */
export class TooLarge extends Error {}

const maxChars = 1024 * 1024;

/**
 * A copy of a value with what was kept in place of `{name}`; a text that is nothing else becomes the kept value itself.
 * Names that nobody kept stay as they are: braces are common in texts.
 */
export function fillKept<T>(value: T, kept: Kept): T {
  if (kept.size === 0) return value;
  let left = maxChars;
  const spend = (chars: number) => {
    left -= chars;
    if (left < 0) throw new TooLarge("what was kept makes it too large");
  };
  const fill = (part: unknown): unknown => {
    if (typeof part === "string") return fillText(part, kept, spend);
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, fill(inner)]));
  };
  return fill(value) as T;
}

function fillText(text: string, kept: Kept, spend: (chars: number) => void): unknown {
  const [, whole] = /^\{([A-Za-z_][\w-]*)\}$/.exec(text) ?? [];
  if (whole !== undefined && kept.has(whole)) {
    spend(textOf(kept.get(whole)).length);
    return kept.get(whole);
  }
  return text.replace(/\{([A-Za-z_][\w-]*)\}/g, (written, name: string) => {
    if (!kept.has(name)) return written;
    const filled = textOf(kept.get(name));
    spend(filled.length);
    return filled;
  });
}

/** The same for texts that stay texts. */
export function fillTexts(texts: Readonly<Record<string, string>>, kept: Kept): Readonly<Record<string, string>> {
  const filled = Object.entries(fillKept(texts, kept) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(filled.map(([name, value]) => [name, textOf(value)]));
}
