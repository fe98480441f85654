/** Syntax that says more than which characters follow each other: no text is made for it. */
const unknown = Symbol("unknown");

/** Texts that may match a regular expression, the shortest first; none for syntax that is not known. */
export function* textsFor(pattern: string, minLength = 0): Generator<string> {
  const found = new Set<string>();
  for (const more of new Set([0, 1, minLength]))
    for (let number = 0; number < maxTries; number += 1) {
      const text = new Maker(pattern, more, number).make();
      if (text === unknown) return;
      if (!found.has(text)) yield text;
      found.add(text);
    }
}

const maxTries = 200;
const maxCharacters = 2000;
const classes: Readonly<Record<string, string>> = {
  d: "0123456789",
  w: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_",
  s: " ",
};
const printable = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");
/** Letters first, so that a text looks like one. */
const any = [...classes["w"]!, ...printable].filter((one, index, all) => all.indexOf(one) === index).join("");

/** Makes one text: wherever there is a choice, the number says which, as its next digit. */
class Maker {
  readonly #characters: readonly string[];
  readonly #more: number;
  #number: number;
  #at = 0;
  #made = 0;

  constructor(pattern: string, more: number, number: number) {
    this.#characters = [...pattern];
    this.#more = more;
    this.#number = number;
  }

  make(): string | typeof unknown {
    try {
      const text = this.#alternatives()();
      return this.#at < this.#characters.length ? unknown : text;
    } catch (error) {
      if (error === unknown) return unknown;
      throw error;
    }
  }

  #pick(count: number): number {
    if (count < 1) throw unknown;
    const picked = this.#number % count;
    this.#number = Math.floor(this.#number / count);
    return picked;
  }

  #takes(text: string): boolean {
    const isNext = [...text].every((one, index) => this.#characters[this.#at + index] === one);
    if (isNext) this.#at += text.length;
    return isNext;
  }

  #alternatives(): () => string {
    const all = [this.#sequence()];
    while (this.#takes("|")) all.push(this.#sequence());
    return () => all[this.#pick(all.length)]!();
  }

  #sequence(): () => string {
    const parts: (() => string)[] = [];
    while (this.#at < this.#characters.length && !["|", ")"].includes(this.#characters[this.#at]!))
      parts.push(this.#repeated());
    return () => parts.map((part) => part()).join("");
  }

  #repeated(): () => string {
    const part = this.#part();
    const { min, max } = this.#times();
    const times = Math.min(max, min + this.#more);
    return () => {
      let text = "";
      for (let done = 0; done < times; done += 1) {
        text += part();
        this.#made += 1;
        if (this.#made > maxCharacters) throw unknown;
      }
      return text;
    };
  }

  #times(): { readonly min: number; readonly max: number } {
    const rest = this.#characters.slice(this.#at, this.#at + 20).join("");
    const found = /^(?:([?*+])|\{(\d+)(,?)(\d*)\})\??/.exec(rest);
    if (found === null) return { min: 1, max: 1 };
    this.#at += found[0].length;
    const [, sign, least, comma, most] = found;
    if (sign !== undefined) return { min: sign === "+" ? 1 : 0, max: sign === "?" ? 1 : Number.POSITIVE_INFINITY };
    const min = Number(least);
    return { min, max: comma === "" ? min : most === "" ? Number.POSITIVE_INFINITY : Number(most) };
  }

  #part(): () => string {
    if (this.#takes("^") || this.#takes("$")) return () => "";
    if (this.#takes("(")) return this.#group();
    if (this.#takes("[")) return this.#oneOf(this.#class());
    if (this.#takes(".")) return this.#oneOf(any);
    if (this.#takes("\\")) return this.#oneOf(this.#escaped());
    const one = this.#characters[this.#at]!;
    this.#at += 1;
    return () => one;
  }

  #oneOf(characters: string): () => string {
    const all = [...characters];
    return () => all[this.#pick(all.length)]!;
  }

  #group(): () => string {
    const name = /^\?<\w+>/.exec(this.#characters.slice(this.#at, this.#at + 80).join(""))?.[0];
    if (!this.#takes("?:") && this.#characters[this.#at] === "?" && !this.#takes(name ?? "?!?")) throw unknown;
    const inside = this.#alternatives();
    if (!this.#takes(")")) throw unknown;
    return inside;
  }

  /** The characters that an escape stands for. */
  #escaped(): string {
    const one = this.#characters[this.#at] ?? "";
    this.#at += 1;
    if (Object.hasOwn(classes, one)) return classes[one]!;
    if (one === "" || /[\w]/.test(one)) throw unknown;
    return one;
  }

  #class(): string {
    const isNot = this.#takes("^");
    const named = new Set<string>();
    while (!this.#takes("]")) {
      const from = this.#member();
      const isRange = this.#characters[this.#at] === "-" && this.#characters[this.#at + 1] !== "]";
      if (isRange) this.#at += 1;
      const to = isRange ? this.#member() : from;
      if (isRange && (from.length > 1 || to.length > 1)) throw unknown;
      const [first, last] = [from.codePointAt(0)!, to.codePointAt(0)!];
      if (!isRange) for (const one of from) named.add(one);
      else for (let code = first; code <= Math.min(last, first + 100); code += 1) named.add(String.fromCodePoint(code));
    }
    return isNot ? [...any].filter((one) => !named.has(one)).join("") : [...named].join("");
  }

  #member(): string {
    if (this.#takes("\\")) return this.#escaped();
    const one = this.#characters[this.#at];
    if (one === undefined) throw unknown;
    this.#at += 1;
    return one;
  }
}
