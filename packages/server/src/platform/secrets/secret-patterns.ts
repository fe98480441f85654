import { createHash } from "node:crypto";
import { ControlScanner } from "../log/index.ts";
import { type Decoder, decode, EscapeDecoder, HtmlDecoder, UrlDecoder } from "./decoders.ts";
import { base64Of, encodingsOf, hexOf, withoutBreaks } from "./encodings.ts";
import { type Pattern, PatternAutomaton } from "./pattern-automaton.ts";

/** Shorter values occur everywhere: masking them would reveal more than it hides. */
const minLength = 4;
/** So many characters of plain forms: hundreds of keys and tokens have fewer. */
const maxFormsLength = 256 * 1024;
/** What may be lost at either end of a long value that stands next to half a sign. */
const edge = 16;

/** An automaton for each way in which secrets may be written. */
export interface SecretPatterns {
  readonly plain: PatternAutomaton;
  readonly url: PatternAutomaton;
  readonly html: PatternAutomaton;
  readonly escaped: PatternAutomaton;
  readonly hex: PatternAutomaton;
  readonly base64: PatternAutomaton;
}

/** Of the last values, by their digest: a run makes dozens of maskers for the same ones. Gone when no masker has them. */
const known = new Map<string, WeakRef<SecretPatterns>>();
const maxKnown = 32;

/** The patterns that betray the values; undefined if no value is long enough. */
export function secretPatterns(secrets: Iterable<string>): SecretPatterns | undefined {
  const values = [...new Set(secrets)].filter((value) => value.length >= minLength);
  if (values.length === 0) return undefined;
  const digest = createHash("sha256").update(JSON.stringify(values)).digest("base64");
  const made = known.get(digest)?.deref() ?? makePatterns(values);
  known.delete(digest);
  known.set(digest, new WeakRef(made));
  if (known.size > maxKnown) known.delete(known.keys().next().value!);
  return made;
}

function makePatterns(values: readonly string[]): SecretPatterns {
  const { forms, long } = allForms(values);
  const automaton = (patternsOf: (value: string) => readonly Pattern[]) =>
    new PatternAutomaton(values.flatMap(patternsOf).filter(({ symbols }) => symbols.length >= minLength));
  const decoded = (decoder: () => Decoder, prepare = (value: string) => value) =>
    automaton((value) => {
      const symbols = decode(decoder(), prepare(value));
      return [{ symbols }, ...(long.has(value) ? [{ symbols: symbols.slice(edge, -edge) }] : [])];
    });
  return {
    plain: new PatternAutomaton(forms.map((text) => ({ symbols: unitsOf(text) }))),
    url: decoded(() => new UrlDecoder()),
    html: decoded(() => new HtmlDecoder(), withoutBreaks),
    escaped: decoded(() => new EscapeDecoder(), withLetters),
    hex: automaton((value) => [{ symbols: unitsOf(hexOf(value)) }]),
    base64: automaton((value) => base64Of(value).map(({ digits, hasTail }) => ({ symbols: unitsOf(digits), hasTail }))),
  };
}

/**
 * The plain forms of all values. There are up to forty of each, some six times as long as the value: they take as much memory
 * as they have characters. So the shortest values have theirs; of others, which are long, the decoders find the encoded ones.
 */
function allForms(values: readonly string[]): {
  readonly forms: readonly string[];
  readonly long: ReadonlySet<string>;
} {
  const forms: string[] = [];
  const long = new Set<string>();
  let left = maxFormsLength;
  for (const value of values.toSorted((a, b) => a.length - b.length)) {
    // Together they have more than eight times its length.
    const all = left >= 8 * value.length ? plainForms(value).filter(({ length }) => length >= minLength) : [];
    left -= all.reduce((sum, { length }) => sum + length, 0);
    if (all.length > 0 && left >= 0) forms.push(...all);
    else {
      left = 0;
      long.add(value);
      forms.push(withoutBreaks(value), asShown(value), JSON.stringify(value).slice(1, -1));
    }
  }
  return { forms, long };
}

/**
 * The forms that are found whatever stands next to them. The decoders find every other mixture too, but may read what stands
 * next to an encoded secret, such as a `%4`, as a part of it.
 */
function plainForms(value: string): string[] {
  return [...encodingsOf(value).map(withoutBreaks), asShown(value)];
}

/** A secret as a terminal shows it. */
function asShown(value: string): string {
  const scanner = new ControlScanner();
  return value
    .split("")
    .filter((character) => scanner.read(character.charCodeAt(0)) === "shown")
    .join("");
}

const letters: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };

/** The decoder leaves out the backslash of `\n`, and this letter stays. */
function withLetters(value: string): string {
  return value.replace(/[\n\r\t\b\f]/g, (character) => letters[character]!);
}

function unitsOf(text: string): Uint16Array {
  const units = new Uint16Array(text.length);
  for (let at = 0; at < text.length; at += 1) units[at] = text.charCodeAt(at);
  return units;
}
