/** An expression as it is written: operators are calls of `+`, `and`, `empty` and so on. */
export type Written =
  | { readonly is: "value"; readonly value: number | string | boolean }
  | { readonly is: "name"; readonly name: string; readonly at: number }
  | { readonly is: "member"; readonly of: Written; readonly name: string; readonly at: number }
  | { readonly is: "item"; readonly of: Written; readonly key: Written; readonly at: number }
  | {
      readonly is: "call";
      readonly name: string;
      readonly given: readonly Written[];
      /** Which records it goes over: `sum(line.amount where paid)`. */
      readonly where?: Written;
      readonly at: number;
    };

/** Why an expression is not understood, in words for whoever wrote it. */
export class ExpressionProblem extends Error {}

const maxLength = 1000;
const maxDepth = 40;

/** Reads any expression of a document, such as `value * units[from] / units[to]`. Throws an ExpressionProblem. */
export function parseExpression(text: string): Written {
  if (text.length > maxLength) throw new ExpressionProblem(`The expression is longer than ${maxLength} characters.`);
  const reader = new Reader(splitTokens(text));
  const found = readOperators(reader, 0);
  if (reader.next.text !== "") throw unexpected(reader.next);
  return found;
}

interface Token {
  readonly kind: "number" | "text" | "name" | "sign" | "end";
  readonly text: string;
  /** Counted from 1, as people do. */
  readonly at: number;
}

const pattern =
  /\s*(?:(\d+(?:\.\d+)?(?:e[+-]?\d+)?)|"([^"]*)"|'([^']*)'|([\p{L}_][\p{L}\p{N}_]*)|(\*\*|[=!<>]=|[-+*/%^<>=()[\].,]))/uy;

function splitTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  pattern.lastIndex = 0;
  while (text.slice(pattern.lastIndex).trim() !== "") {
    const start = pattern.lastIndex;
    const found = pattern.exec(text);
    if (found === null) {
      const left = text.slice(start).trimStart();
      throw unexpected({ kind: "sign", text: left[0]!, at: text.length - left.length + 1 });
    }
    const [whole, number, double, single, name, sign] = found;
    const at = start + whole.length - whole.trimStart().length + 1;
    if (number !== undefined) tokens.push({ kind: "number", text: number, at });
    else if (name !== undefined) tokens.push({ kind: "name", text: name, at });
    // Many people write `=` for "is equal"; nothing else could be meant by it.
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign === "=" ? "==" : sign, at });
    else tokens.push({ kind: "text", text: double ?? single ?? "", at });
  }
  return [...tokens, { kind: "end", text: "", at: text.length + 1 }];
}

class Reader {
  readonly #tokens: readonly Token[];
  #place = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  get next(): Token {
    return this.#tokens[this.#place]!;
  }

  take(): Token {
    const token = this.next;
    if (token.kind !== "end") this.#place += 1;
    return token;
  }

  /** Takes the next token if it is this word or sign. */
  takes(word: string): boolean {
    if (this.next.text !== word || this.next.kind === "text") return false;
    this.take();
    return true;
  }

  expect(sign: string): void {
    if (!this.takes(sign)) throw unexpected(this.next, ` '${sign}' should stand there.`);
  }

  deeper<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new ExpressionProblem("The expression is nested too deeply.");
    const found = read();
    this.#depth -= 1;
    return found;
  }
}

/** Operators from weak to strong; those of a level are read from left to right. */
const levels = [["or"], ["and"], ["==", "!=", "<=", ">=", "<", ">"], ["+", "-"], ["*", "/", "%"]] as const;

function readOperators(reader: Reader, level: number): Written {
  const signs: readonly string[] | undefined = levels[level];
  if (signs === undefined) return readSigned(reader);
  let left = readOperators(reader, level + 1);
  while (reader.next.kind !== "text" && (signs.includes(reader.next.text) || isEmptiness(reader, signs))) {
    const { text, at } = reader.take();
    if (text === "is") left = readEmptiness(reader, left, at);
    else left = { is: "call", name: text, given: [left, readOperators(reader, level + 1)], at };
  }
  return left;
}

function isEmptiness({ next }: Reader, signs: readonly string[]): boolean {
  return next.kind === "name" && next.text === "is" && signs.includes("==");
}

/** `due is empty`, `due is not empty`. */
function readEmptiness(reader: Reader, of: Written, at: number): Written {
  const isNot = reader.takes("not");
  reader.expect("empty");
  const empty: Written = { is: "call", name: "empty", given: [of], at };
  return isNot ? { is: "call", name: "not", given: [empty], at } : empty;
}

/** `not` and `-` before a value; `^` binds closer than the minus before it. */
function readSigned(reader: Reader): Written {
  return reader.deeper(() => {
    const { at } = reader.next;
    if (reader.takes("not")) return { is: "call", name: "not", given: [readOperators(reader, 2)], at };
    if (reader.takes("-")) return { is: "call", name: "negative", given: [readSigned(reader)], at };
    const base = readPlace(reader);
    const power = reader.next.at;
    if (!reader.takes("^") && !reader.takes("**")) return base;
    return { is: "call", name: "power", given: [base, readSigned(reader)], at: power };
  });
}

/** A value with what is chosen of it: `units[from].factor`. */
function readPlace(reader: Reader): Written {
  let found = readPlain(reader);
  for (;;) {
    const { at } = reader.next;
    if (reader.takes(".")) {
      const name = reader.take();
      if (name.kind !== "name") throw unexpected(name, " A name should stand there.");
      found = { is: "member", of: found, name: name.text, at };
    } else if (reader.takes("[")) {
      found = { is: "item", of: found, key: readOperators(reader, 0), at };
      reader.expect("]");
    } else return found;
  }
}

function readPlain(reader: Reader): Written {
  const token = reader.take();
  if (token.kind === "number") return { is: "value", value: Number(token.text) };
  if (token.kind === "text") return { is: "value", value: token.text };
  if (token.kind === "name") {
    if (token.text === "true" || token.text === "false") return { is: "value", value: token.text === "true" };
    if (!reader.takes("(")) return { is: "name", name: token.text, at: token.at };
    return { is: "call", name: token.text, ...readGiven(reader), at: token.at };
  }
  if (token.text !== "(") throw unexpected(token);
  const inner = readOperators(reader, 0);
  reader.expect(")");
  return inner;
}

function readGiven(reader: Reader): { readonly given: readonly Written[]; readonly where?: Written } {
  const given: Written[] = [];
  if (reader.takes(")")) return { given };
  do given.push(readOperators(reader, 0));
  while (reader.takes(","));
  const where = reader.takes("where") ? readOperators(reader, 0) : undefined;
  reader.expect(")");
  return { given, ...(where !== undefined && { where }) };
}

function unexpected({ kind, text, at }: Token, more = ""): ExpressionProblem {
  if (kind === "end" && at === 1) return new ExpressionProblem("The expression is empty.");
  if (kind === "end") return new ExpressionProblem(`The expression ends too early.${more}`);
  return new ExpressionProblem(`'${text}' is not expected at character ${at} of the expression.${more}`);
}
