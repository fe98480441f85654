import { blanks, type CharacterSink } from "./decoder.ts";
import { isDigit } from "./digits.ts";
import { GrowingDecoder } from "./growing-decoder.ts";

const ampersand = 0x26;
const semicolon = 0x3b;
const maxEntityLength = 10;

/** The names of HTML for the characters from U+00A0 to U+00FF. */
const latinNames =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para " +
  "middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute " +
  "Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml " +
  "Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml " +
  "eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** The characters that have a name, of XML or of Latin letters, by that name. */
export const namedCharacters: ReadonlyMap<string, number> = new Map([
  ...([
    ["amp", ampersand],
    ["lt", 0x3c],
    ["gt", 0x3e],
    ["quot", 0x22],
    ["apos", 0x27],
    ["euro", 0x20ac],
  ] as const),
  ...latinNames.split(" ").map((name, at) => [name, 0xa0 + at] as const),
]);

/** `&lt;`, `&auml;`, `&#60;`, `&#x3c;`, escaped again any number of times. */
export class HtmlDecoder extends GrowingDecoder {
  readonly openers = "&";
  readonly leftOut = blanks;

  read(unit: number, at: number, sink: CharacterSink): void {
    if (this.isIdle) {
      if (unit === ampersand) this.open(unit, at, at);
      else sink.plain(unit, at, at + 1);
      return;
    }
    if (unit === semicolon) {
      this.#finish(unit, at, sink);
      return;
    }
    if (!isEntityCharacter(unit) || this.length >= maxEntityLength) {
      this.giveUp(sink);
      this.read(unit, at, sink);
      return;
    }
    this.grow(unit, at);
  }

  #finish(unit: number, at: number, sink: CharacterSink): void {
    const { start } = this;
    const code = codePointOf(this.text.slice(1));
    if (code === undefined) {
      this.giveUp(sink);
      sink.plain(unit, at, at + 1);
      return;
    }
    this.close();
    if (code === ampersand) this.open(ampersand, start, at);
    else sink.character(code, start, at + 1);
  }
}

function codePointOf(entity: string): number | undefined {
  if (!entity.startsWith("#")) return namedCharacters.get(entity);
  const isHex = entity[1] === "x" || entity[1] === "X";
  const digits = entity.slice(isHex ? 2 : 1);
  if (!(isHex ? /^[0-9a-f]{1,6}$/i : /^[0-9]{1,7}$/).test(digits)) return undefined;
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  return code <= 0x10_ff_ff ? code : undefined;
}

/** Letters, digits and `#`. */
function isEntityCharacter(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a) || unit === 0x23;
}
