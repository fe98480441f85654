import type { CharacterSink, Decoder } from "./decoder.ts";

/** A character that is encoded again and again is held back from where it begins; none is so often. */
const maxEncodedLength = 256;

/** Encoded characters that may grow by a character at a time, and turn out to be ordinary ones. */
export abstract class GrowingDecoder implements Decoder {
  protected start = Number.POSITIVE_INFINITY;
  #units: number[] = [];
  #ats: number[] = [];

  abstract readonly openers: string;
  abstract readonly leftOut: string;
  abstract read(unit: number, at: number, sink: CharacterSink): void;

  undecidedFrom(): number {
    return this.start;
  }

  end(sink: CharacterSink): void {
    this.giveUp(sink);
  }

  get isIdle(): boolean {
    return this.start === Number.POSITIVE_INFINITY;
  }

  protected get isGrowing(): boolean {
    return this.start !== Number.POSITIVE_INFINITY;
  }

  protected get text(): string {
    return String.fromCharCode(...this.#units);
  }

  protected get length(): number {
    return this.#units.length;
  }

  protected get first(): number {
    return this.#units[0]!;
  }

  /** Where its last character ends. */
  protected get grownTo(): number {
    return this.#ats.at(-1)! + 1;
  }

  protected open(unit: number, start: number, at: number): void {
    this.start = at - start > maxEncodedLength ? at : start;
    this.#units = [unit];
    this.#ats = [at];
  }

  protected grow(unit: number, at: number): void {
    this.#units.push(unit);
    this.#ats.push(at);
  }

  protected close(): void {
    this.start = Number.POSITIVE_INFINITY;
  }

  /** Emits what was read as the ordinary characters that it is. */
  protected giveUp(sink: CharacterSink): void {
    if (!this.isGrowing) return;
    const { start } = this;
    this.close();
    this.#units.forEach((unit, index) => {
      const at = this.#ats[index]!;
      sink.plain(unit, index === 0 ? start : at, at + 1);
    });
  }
}
