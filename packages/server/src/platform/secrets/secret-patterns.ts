import { createHash } from "node:crypto";
import { ControlScanner } from "../log/index.ts";
import { type Decoder, decoders } from "./decoders/index.ts";
import { base64Of, bytesOf, encodingsOf, latin1Of, withoutControls } from "./encodings.ts";
import { narrowText } from "./narrow-text.ts";
import { type Pattern, PatternAutomaton } from "./pattern-automaton.ts";
import { type Reading, Utf8Sink } from "./utf8-sink.ts";

/** Shorter values occur everywhere: masking them would reveal more than it hides. */
const minLength = 4;
/** So much must remain of a value of which a way of writing leaves characters out. */
const minRest = 6;
/** So many characters of plain forms: hundreds of keys and tokens have fewer. */
const maxFormsLength = 256 * 1024;
/** What may be lost at either end of a long value that stands next to half a sign. */
const edge = 16;

/** An automaton for each way in which secrets may be written. Its symbols are bytes of UTF-8, or digits. */
export interface SecretPatterns extends Readonly<Record<keyof typeof decoders, PatternAutomaton>> {
  readonly plain: PatternAutomaton;
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
  const made = known.get(digest)?.deref() ?? makePatterns(values.map(essenceOf));
  known.delete(digest);
  known.set(digest, new WeakRef(made));
  if (known.size > maxKnown) known.delete(known.keys().next().value!);
  return made;
}

/** Shells and programs take away the blanks around a value, such as the line break with which a file ends. */
function essenceOf(value: string): string {
  const trimmed = value.trim();
  return trimmed.length < minLength ? value : trimmed;
}

function makePatterns(values: readonly string[]): SecretPatterns {
  const forms = formsOf(values);
  const automaton = (patternsOf: (value: string) => readonly Omit<Pattern, "of">[]) =>
    new PatternAutomaton(
      values.flatMap((value, of) =>
        patternsOf(value)
          .filter(({ symbols }) => symbols.length >= minLength)
          .map((pattern) => ({ ...pattern, of })),
      ),
    );
  const decoded = (decoder: () => Decoder) =>
    automaton((value) =>
      decodedForms(decoder, value).flatMap((symbols, at) =>
        at === 0 && forms.get(value)!.isLong
          ? [{ symbols }, { symbols: symbols.subarray(edge, -edge) }]
          : [{ symbols }],
      ),
    );
  // With line ends of one kind: few long values are written with the other, and a form has three times their length.
  const bytesFor = (value: string) => (forms.get(value)!.isLong ? [Buffer.from(value)] : bytesOf(value));
  return {
    plain: automaton((value) =>
      [...new Set([...forms.get(value)!.texts, ...inFiles(value)])].map((text) => ({ symbols: Buffer.from(text) })),
    ),
    url: decoded(decoders.url),
    html: decoded(decoders.html),
    escaped: decoded(decoders.escaped),
    hex: automaton((value) => bytesFor(value).map((bytes) => ({ symbols: Buffer.from(bytes.toString("hex")) }))),
    base64: automaton((value) =>
      bytesFor(value)
        .flatMap(base64Of)
        .map(({ digits, hasTail }) => ({ symbols: Buffer.from(digits), hasTail })),
    ),
  };
}

interface Forms {
  readonly texts: readonly string[];
  /** Whether only the decoders know the others. */
  readonly isLong: boolean;
}

/**
 * The plain forms of all values: they are found whatever stands next to them. The decoders find every other mixture, too, but
 * may read what stands next to an encoded secret, such as a `%4`, as a part of it. There are dozens of forms of each value, some
 * six times as long as it: they take as much memory as they have characters. So the shortest values have theirs; of others,
 * which are long, the decoders find the encoded ones.
 */
function formsOf(values: readonly string[]): ReadonlyMap<string, Forms> {
  const forms = new Map<string, Forms>();
  let left = maxFormsLength;
  for (const value of values.toSorted((a, b) => a.length - b.length)) {
    // Together they have more than eight times its length.
    const all = left >= 8 * value.length ? [...encodingsOf(value), asShown(value)] : [];
    const texts = all.filter(({ length }) => length >= minLength);
    left -= texts.reduce((sum, { length }) => sum + length, 0);
    if (texts.length > 0 && left >= 0) forms.set(value, { texts, isLong: false });
    else {
      left = 0;
      const few = [value, asShown(value), JSON.stringify(value).slice(1, -1)].map(withoutControls);
      forms.set(value, { texts: few, isLong: true });
    }
  }
  return forms;
}

/** A secret as a terminal shows it. */
function asShown(value: string): string {
  const scanner = new ControlScanner();
  return value
    .split("")
    .filter((character) => scanner.read(character.charCodeAt(0)) === "shown")
    .join("");
}

/** In Latin-1, where that is taken for UTF-8, and in UTF-16 where it stands in another file, at any place. */
function inFiles(value: string): readonly string[] {
  if (!/[^\0-\x7f]/.test(value)) return [];
  const wide = Buffer.from(value, "utf16le");
  const written = [...latin1Of(value), wide, Buffer.from(wide).swap16()];
  return written.map((bytes) => withoutControls(narrowText(bytes)));
}

/**
 * A value as a decoder reads it where it stands in a text, and where each of its characters is encoded. Letters beyond ASCII may
 * be bytes of Latin-1.
 */
function decodedForms(decoder: () => Decoder, value: string): readonly Uint8Array[] {
  const text = withoutControls(value);
  const readings: [string, Reading][] = [[text, "text"]];
  // A decoder leaves out no others than these, which may be encoded.
  const withWide = value.replace(/[\0-\x1f\x7f]/g, "");
  if (withWide !== text) readings.push([withWide, "text"]);
  const shown = asShown(value);
  if (shown !== text) readings.push([shown, "text"]);
  if (/[\xa0-\xff]/.test(text)) readings.push([text, "latin1"]);
  const forms = readings.flatMap(([written, reading]) => {
    const whole = Buffer.byteLength(written, reading === "latin1" ? "latin1" : "utf8");
    return [decode(decoder(), written, reading), decode(undecoded(decoder()), written, reading)].filter(
      ({ length }) => length >= Math.min(whole, minRest),
    );
  });
  return distinct(forms);
}

/** Leaves out the same characters, and takes no others for encoded ones. */
function undecoded({ leftOut }: Decoder): Pick<Decoder, "leftOut" | "read" | "end"> {
  return { leftOut, read: (unit, at, sink) => sink.plain(unit, at, at + 1), end: () => undefined };
}

/** The symbols of a whole text. */
function decode(decoder: Pick<Decoder, "leftOut" | "read" | "end">, text: string, reading: Reading): Uint8Array {
  const symbols: number[] = [];
  const sink = new Utf8Sink({ feed: (symbol) => void symbols.push(symbol) }, decoder.leftOut, reading);
  for (let at = 0; at < text.length; at += 1) decoder.read(text.charCodeAt(at), at, sink);
  decoder.end(sink);
  sink.end();
  return Uint8Array.from(symbols);
}

function distinct(forms: readonly Uint8Array[]): readonly Uint8Array[] {
  return [...new Map(forms.map((form) => [Buffer.from(form).toString("latin1"), form])).values()];
}
