/** An expression over the fields of a record, as data: the programs calculate it, and never run text. */
export type Expression =
  | { readonly op: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly op: "not"; readonly right: Expression }
  | { readonly field: string; readonly via?: string }
  | { readonly value: number | string | boolean | null }
  | { readonly clock: "now" | "today" };

type Operator = "and" | "or" | "<" | "<=" | ">" | ">=" | "==" | "!=" | "+" | "-" | "*" | "/";

/** The field that a name means: one of the record, or one of what a reference leads to; or why there is none. */
export type FindField = (name: string) => { readonly field: string; readonly via?: string } | string;

/** Reads an expression; a string is the reason why it cannot be read. */
export function readExpression(text: string, find: FindField): Expression | string {
  const tokens = tokensOf(text);
  if (typeof tokens === "string") return tokens;
  try {
    const reader = new Reader(tokens, find);
    const expression = reader.read(0);
    const rest = reader.peek();
    return rest === undefined ? expression : `'${rest.text}' is not expected there.`;
  } catch (error) {
    if (error instanceof Unreadable) return error.message;
    throw error;
  }
}

/** The fields of the record that an expression names. */
export function fieldsIn(expression: Expression): readonly string[] {
  if ("field" in expression) return [expression.via ?? expression.field];
  if (!("op" in expression)) return [];
  return [...("left" in expression ? fieldsIn(expression.left) : []), ...fieldsIn(expression.right)];
}

class Unreadable extends Error {}

interface Token {
  readonly kind: "number" | "text" | "name" | "sign";
  readonly text: string;
}

const pattern =
  /\s*(?:(\d+(?:\.\d+)?)|'([^']*)'|"([^"]*)"|([\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)?)|(<=|>=|==|!=|[<>=()+\-*/]))/uy;

const maxTokens = 200;

function tokensOf(text: string): readonly Token[] | string {
  const tokens: Token[] = [];
  const all = new RegExp(pattern);
  const end = text.trimEnd().length;
  while (all.lastIndex < end) {
    const from = all.lastIndex;
    const found = all.exec(text);
    if (found === null) return `'${text.slice(from).trim().slice(0, 20)}' cannot be read.`;
    const [, number, single, double, name, sign] = found;
    if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (name !== undefined) tokens.push({ kind: "name", text: name });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign === "=" ? "==" : sign });
    else tokens.push({ kind: "text", text: single ?? double ?? "" });
  }
  if (tokens.length > maxTokens) return "It is too long: split it into several.";
  return tokens.length > 0 ? tokens : "It is empty.";
}

/** Of two operators, the one with the higher number binds its operands first. */
const strengths: Readonly<Record<string, number>> = {
  or: 1,
  and: 2,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  "==": 4,
  "!=": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
};
const strengthOfNot = 3;
const maxDepth = 50;

class Reader {
  #next = 0;
  #depth = 0;
  readonly #tokens: readonly Token[];
  readonly #find: FindField;

  constructor(tokens: readonly Token[], find: FindField) {
    this.#tokens = tokens;
    this.#find = find;
  }

  peek(): Token | undefined {
    return this.#tokens[this.#next];
  }

  read(atLeast: number): Expression {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new Unreadable("It is nested too deeply.");
    let left = this.#operand();
    for (let token = this.peek(); token !== undefined; token = this.peek()) {
      const strength = token.kind === "text" ? undefined : strengths[token.text];
      if (strength === undefined || strength < atLeast) break;
      this.#next += 1;
      left = { op: token.text as Operator, left, right: this.read(strength + 1) };
    }
    this.#depth -= 1;
    return left;
  }

  #operand(): Expression {
    const token = this.peek();
    if (token === undefined) throw new Unreadable("Something is missing at its end.");
    this.#next += 1;
    const { kind, text } = token;
    if (kind === "number") return { value: Number(text) };
    if (kind === "text") return { value: text };
    if (kind === "name") return this.#name(text);
    if (text === "-") return { op: "-", left: { value: 0 }, right: this.read(strengths["*"]!) };
    if (text !== "(") throw new Unreadable(`'${text}' is not expected there.`);
    const inner = this.read(0);
    if (this.peek()?.text !== ")") throw new Unreadable("A ')' is missing.");
    this.#next += 1;
    return inner;
  }

  #name(text: string): Expression {
    if (text === "not") return { op: "not", right: this.read(strengthOfNot) };
    if (text === "now" || text === "today") return { clock: text };
    if (text === "true" || text === "false") return { value: text === "true" };
    if (text === "null" || text === "empty") return { value: null };
    if (Object.hasOwn(strengths, text)) throw new Unreadable(`'${text}' is not expected there.`);
    const found = this.#find(text);
    if (typeof found === "string") throw new Unreadable(found);
    return found;
  }
}
