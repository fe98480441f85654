import { type CarriedValues, isId, textOf } from "./carried-values.ts";

type Carried = Pick<CarriedValues, "named" | "isKept">;

/** A filled request would be larger than anybody means. */
export class TooLarge extends Error {}

const maxChars = 1024 * 1024;

/**
 * A copy of a value with what earlier steps kept in place of `{name}`; a text that is nothing else becomes the value
 * itself. What they returned without keeping it stands for such a text, and for the name of an id. Other names stay as
 * they are: braces are common in texts.
 */
export function fillKept<T>(value: T, carried: Carried): T {
  let left = maxChars;
  const spend = (filled: unknown) => {
    left -= textOf(filled).length;
    if (left < 0) throw new TooLarge("what was kept makes it too large");
  };
  const fill = (part: unknown): unknown => {
    if (typeof part === "string") return fillText(part, carried, spend);
    if (Array.isArray(part)) return part.map(fill);
    if (typeof part !== "object" || part === null) return part;
    return Object.fromEntries(Object.entries(part).map(([key, inner]) => [key, fill(inner)]));
  };
  return fill(value) as T;
}

function fillText(text: string, carried: Carried, spend: (filled: unknown) => void): unknown {
  const whole = nameIn(text);
  const found = whole === undefined ? undefined : carried.named(whole);
  if (found !== undefined) {
    spend(found.value);
    return found.value;
  }
  return text.replace(/\{([A-Za-z_][\w-]*)\}/g, (written, name: string) => {
    const part = carried.isKept(name) || isId(name) ? carried.named(name) : undefined;
    if (part === undefined) return written;
    spend(part.value);
    return textOf(part.value);
  });
}

/** The name that a text is in braces, and nothing else. */
function nameIn(text: string): string | undefined {
  return /^\{([A-Za-z_][\w-]*)\}$/.exec(text)?.[1];
}

/** The ids that texts of a value are to become, and no earlier step returned: nobody means to send `{id}`. */
export function unknownIds(value: unknown, carried: Carried): readonly string[] {
  if (typeof value === "string") {
    const name = nameIn(value);
    return name !== undefined && isId(name) && carried.named(name) === undefined ? [name] : [];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((inner) => unknownIds(inner, carried));
}

/** The same for texts that stay texts. */
export function fillTexts(texts: Readonly<Record<string, string>>, carried: Carried): Readonly<Record<string, string>> {
  const filled = Object.entries(fillKept(texts, carried) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(filled.map(([name, value]) => [name, textOf(value)]));
}
