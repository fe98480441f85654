import { ControlScanner } from "../log/index.ts";
import { type Decoder, decode, EscapeDecoder, HtmlDecoder, UrlDecoder } from "./decoders.ts";
import { base64Of, encodingsOf, hexOf, withoutBreaks } from "./encodings.ts";
import { type Pattern, PatternAutomaton } from "./pattern-automaton.ts";

/** Shorter values occur everywhere: masking them would reveal more than it hides. */
const minLength = 4;

/** An automaton for each way in which secrets may be written. */
export interface SecretPatterns {
  readonly plain: PatternAutomaton;
  readonly url: PatternAutomaton;
  readonly html: PatternAutomaton;
  readonly escaped: PatternAutomaton;
  readonly hex: PatternAutomaton;
  readonly base64: PatternAutomaton;
}

/** The patterns that betray the values; undefined if no value is long enough. */
export function secretPatterns(secrets: Iterable<string>): SecretPatterns | undefined {
  const values = [...new Set(secrets)].filter((value) => value.length >= minLength);
  if (values.length === 0) return undefined;
  const automaton = (patternsOf: (value: string) => readonly Pattern[]) =>
    new PatternAutomaton(values.flatMap(patternsOf).filter(({ symbols }) => symbols.length >= minLength));
  const decoded = (decoder: () => Decoder, prepare = (value: string) => value) =>
    automaton((value) => [{ symbols: decode(decoder(), prepare(value)) }]);
  return {
    plain: automaton((value) => plainForms(value).map((text) => ({ symbols: unitsOf(text) }))),
    url: decoded(() => new UrlDecoder()),
    html: decoded(() => new HtmlDecoder(), withoutBreaks),
    escaped: decoded(() => new EscapeDecoder(), withLetters),
    hex: automaton((value) => [{ symbols: unitsOf(hexOf(value)) }]),
    base64: automaton((value) => base64Of(value).map(({ digits, hasTail }) => ({ symbols: unitsOf(digits), hasTail }))),
  };
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
  return [...value.split("")].filter((character) => scanner.read(character.charCodeAt(0)) === "shown").join("");
}

const letters: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f" };

/** The decoder leaves out the backslash of `\n`, and this letter stays. */
function withLetters(value: string): string {
  return value.replace(/[\n\r\t\b\f]/g, (character) => letters[character]!);
}

function unitsOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
}
