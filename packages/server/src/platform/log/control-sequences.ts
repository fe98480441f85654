/** What a character of a program's output is to a terminal. */
export type CharacterClass =
  | "shown"
  /** Moves to another place, such as a line break or a tab. */
  | "break"
  /** A control character, or a part of a sequence such as a colour. */
  | "control"
  /** Inside a sequence, but readable, such as the title of a window or the address of a link. */
  | "hidden text";

const escapeCode = 0x1b;
/** `]` begins an operating system command, `k` the title of a window; `P`, `X`, `^` and `_` begin other texts. */
const textOpeners: ReadonlySet<number> = new Set([..."]kPX^_"].map((letter) => letter.charCodeAt(0)));
/** Bell, cancel, substitute, and `ESC` with a backslash in one character. */
const textClosers: ReadonlySet<number> = new Set([0x07, 0x18, 0x1a, 0x9c]);
/** A sequence that never ends must not hide everything after it. */
const maxHiddenLength = 4_096;
const maxParameters = 128;

/** Reads output character by character, across chunks, as a terminal does: in constant time for each. */
export class ControlScanner {
  #inside: "text" | "escape" | "marks" | "parameters" | "hidden text" | "end of hidden text" = "text";
  #length = 0;

  /** Whether the next character stands outside of every sequence. */
  get isInText(): boolean {
    return this.#inside === "text";
  }

  read(unit: number): CharacterClass {
    // Terminals ignore it, also inside a sequence: that of a text in UTF-16 has one after each of its characters.
    if (unit === 0) return "control";
    switch (this.#inside) {
      case "text":
        return this.#readText(unit);
      case "escape":
        return this.#readAfterEscape(unit);
      case "marks":
        if (unit < 0x20 || unit > 0x7e) return this.#readAgain(unit);
        if (unit > 0x2f) this.#inside = "text";
        return "hidden text";
      case "parameters":
        this.#length += 1;
        if (unit < 0x20 || unit > 0x7e) return this.#readAgain(unit);
        if (unit >= 0x40 || this.#length >= maxParameters) this.#inside = "text";
        return "control";
      case "hidden text":
        return this.#readHidden(unit);
      case "end of hidden text":
        this.#inside = "text";
        return unit === 0x5c ? "control" : this.#readAfterEscape(unit);
    }
  }

  #readText(unit: number): CharacterClass {
    if (unit === escapeCode) this.#inside = "escape";
    // One character instead of `ESC` and a letter.
    else if (unit >= 0x80 && unit <= 0x9f) return this.#readAfterEscape(unit - 0x40, unit);
    if (isBreak(unit)) return "break";
    return isControl(unit) ? "control" : "shown";
  }

  /** `written` is the character that stands there, if it is `ESC` and the letter in one. */
  #readAfterEscape(unit: number, written = unit): CharacterClass {
    this.#length = 0;
    this.#inside = "text";
    // `ESC ( B` selects a character set: such marks may come before the last character.
    if (unit >= 0x20 && unit <= 0x2f) this.#inside = "marks";
    else if (unit === 0x5b) this.#inside = "parameters";
    else if (textOpeners.has(unit)) this.#inside = "hidden text";
    else if (unit < 0x20 || unit > 0x7e) return this.#readText(unit);
    return unit === 0x5b || isControl(written) ? "control" : "hidden text";
  }

  #readHidden(unit: number): CharacterClass {
    this.#length += 1;
    if (unit === escapeCode) this.#inside = "end of hidden text";
    else if (unit === 0x0a || unit === 0x0d) return this.#readAgain(unit);
    else if (textClosers.has(unit)) this.#inside = "text";
    else if (this.#length > maxHiddenLength) return this.#readAgain(unit);
    return isControl(unit) ? "control" : "hidden text";
  }

  #readAgain(unit: number): CharacterClass {
    this.#inside = "text";
    return this.#readText(unit);
  }
}

/** Control characters but tab and line breaks. */
function isControl(unit: number): boolean {
  return unit < 0x20 ? !isBreak(unit) : unit >= 0x7f && unit <= 0x9f;
}

/** Tabs and line breaks, those of Unicode included. */
export function isBreak(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x09 || unit === 0x2028 || unit === 0x2029;
}

/** Neither a control character nor a break. */
export function isPrintable(unit: number): boolean {
  return unit >= 0x20 && !isControl(unit) && !isBreak(unit);
}

/** Removes what could take over a terminal, except colours, and zero bytes, which Postgres cannot store. */
export class ControlStripper {
  readonly #scanner = new ControlScanner();
  /** The sequence that began and may be a colour. */
  #sequence = "";

  /** The next chunk of the output without control sequences. A sequence may lie across chunks. */
  strip(text: string): string {
    let stripped = "";
    for (let at = 0; at < text.length; ) {
      const from = at;
      if (this.#scanner.isInText) {
        while (at < text.length && text.charCodeAt(at) >= 0x20 && !isControl(text.charCodeAt(at))) at += 1;
        stripped += text.slice(from, at);
        if (at === text.length) break;
      }
      stripped += this.#stripOne(text, at);
      at += 1;
    }
    return stripped;
  }

  #stripOne(text: string, at: number): string {
    const unit = text.charCodeAt(at);
    const found = this.#scanner.read(unit);
    if (found === "shown" || found === "break") {
      this.#sequence = "";
      return text[at]!;
    }
    this.#sequence = unit === escapeCode ? "\u001b" : this.#sequence + text[at];
    const isColour = this.#scanner.isInText && unit === 0x6d && /^\u001b\[[0-9;:]*m$/.test(this.#sequence);
    const stripped = isColour ? this.#sequence : "";
    if (this.#scanner.isInText || found === "hidden text") this.#sequence = "";
    return stripped;
  }
}
