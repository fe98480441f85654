import type { Hide, SecretScanner } from "./secret-scanner.ts";

const dash = 0x2d;
const dashes = 5;
const maxLabelLength = 64;
/** The longest usual key has 13 KB. A header alone must not hide all that follows. */
const maxKeyLength = 16 * 1024;
const begin = /^BEGIN (?:[A-Z0-9 ]* )?PRIVATE KEY(?: BLOCK)?$/;
const end = /^END (?:[A-Z0-9 ]* )?PRIVATE KEY(?: BLOCK)?$/;

/** Hides private keys in PEM from their first line to their last, or to the end of a text that has no last line. */
export class PrivateKeyScanner implements SecretScanner {
  readonly #hide: Hide;
  #keyFrom = Number.POSITIVE_INFINITY;
  #keyTo = 0;
  /** How many dashes stand before this character, and where the last of them do: at most five. */
  #dashes = 0;
  readonly #dashAts: number[] = [];
  /** What stands between two runs of dashes, if it may be a label. */
  #label: string | undefined;
  #labelFrom = 0;

  constructor(hide: Hide) {
    this.#hide = hide;
  }

  read(chunk: string, from: number, to: number, offset: number): void {
    for (let at = from; at < to; at += 1) {
      const unit = chunk.charCodeAt(at);
      if (unit === dash) this.#readDash(offset + at);
      else if (this.#dashes > 0 || this.#label !== undefined) this.#readOther(unit);
      if (this.#keyFrom !== Number.POSITIVE_INFINITY) this.#readKey(offset + at + 1);
    }
  }

  undecidedFrom(): number {
    const fromDashes = this.#dashes > 0 ? this.#dashAts[0]! : Number.POSITIVE_INFINITY;
    const fromLabel = this.#label === undefined ? Number.POSITIVE_INFINITY : this.#labelFrom;
    return Math.min(this.#keyFrom, fromLabel, fromDashes);
  }

  end(): void {
    if (this.#keyFrom !== Number.POSITIVE_INFINITY) this.#hide(this.#keyFrom, this.#keyTo);
  }

  #readDash(at: number): void {
    this.#dashes += 1;
    this.#dashAts.push(at);
    if (this.#dashAts.length > dashes) this.#dashAts.shift();
    if (this.#dashes !== dashes || this.#label === undefined) return;
    if (this.#keyFrom !== Number.POSITIVE_INFINITY) {
      if (end.test(this.#label)) {
        this.#hide(this.#keyFrom, at + 1);
        this.#keyFrom = Number.POSITIVE_INFINITY;
      }
    } else if (begin.test(this.#label)) this.#keyFrom = this.#labelFrom;
    this.#label = undefined;
  }

  #readOther(unit: number): void {
    if (this.#dashes >= dashes) {
      this.#label = "";
      this.#labelFrom = this.#dashAts[0]!;
    } else if (this.#dashes > 0) this.#label = undefined;
    this.#dashes = 0;
    this.#dashAts.length = 0;
    if (this.#label === undefined) return;
    const isLabel = (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x30 && unit <= 0x39) || unit === 0x20;
    this.#label = isLabel && this.#label.length < maxLabelLength ? this.#label + String.fromCharCode(unit) : undefined;
  }

  #readKey(position: number): void {
    this.#keyTo = position;
    if (position - this.#keyFrom < maxKeyLength) return;
    this.#hide(this.#keyFrom, position);
    this.#keyFrom = Number.POSITIVE_INFINITY;
  }
}
