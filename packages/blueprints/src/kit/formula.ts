/**
 * A formula of a data model, such as `quantity * price` or `sum(line.amount)`. It becomes plain data: an operation with
 * its arguments, which the generated program evaluates. Nothing that a document says becomes code.
 */
export type Formula = readonly [operation: string, ...rest: readonly unknown[]];

export type ValueType = "number" | "text" | "boolean" | "date";

/** The names that a formula may use: those of a record, of what it refers to, and of what belongs to it. */
export interface FormulaScope {
  /** The type of a field or of another formula of the record; undefined if there is none of this name. */
  typeOf(name: string): ValueType | undefined;
  /** The names of the record that a reference leads to, and its field; `room` is also `room_id`. */
  referred(name: string): { readonly scope: FormulaScope; readonly by: string } | undefined;
  /** The names of the records that refer to this one, and the reference by which they do; null: all records count. */
  belonging(entity: string): { readonly scope: FormulaScope; readonly by: string | null } | undefined;
}

export type ReadFormula =
  | { readonly formula: Formula; readonly type: ValueType; readonly problem?: undefined }
  | { readonly problem: string };

/** Reads a formula, and says what is wrong with it: a sign, a name, or types that do not fit. */
export function readFormula(text: string, scope: FormulaScope): ReadFormula {
  try {
    const words = new Words(text);
    const { formula, type } = readOr(words, scope);
    if (words.next !== undefined) return { problem: `'${words.next}' is not expected in the formula.` };
    return { formula, type };
  } catch (error) {
    if (error instanceof FormulaProblem) return { problem: error.message };
    throw error;
  }
}

class FormulaProblem extends Error {}

interface Typed {
  readonly formula: Formula;
  readonly type: ValueType;
}

const maxWords = 200;

/** The words of a formula, one after the other. */
class Words {
  readonly #words: readonly string[];
  #at = 0;

  constructor(text: string) {
    const words = text.match(/\s+|\d+(?:\.\d+)?|[A-Za-z_]\w*|'[^']*'|"[^"]*"|[<>!=]=|[-+*/%().,<>=]|./gsu) ?? [];
    this.#words = words.filter((word) => word.trim() !== "");
    if (this.#words.length > maxWords) throw new FormulaProblem(`A formula has at most ${maxWords} words.`);
  }

  get next(): string | undefined {
    return this.#words[this.#at];
  }

  take(): string {
    const word = this.next;
    if (word === undefined) throw new FormulaProblem("The formula ends too early.");
    this.#at += 1;
    return word;
  }

  takeIf(...wanted: readonly string[]): string | undefined {
    return this.next !== undefined && wanted.includes(this.next) ? this.take() : undefined;
  }

  expect(wanted: string): void {
    const word = this.take();
    if (word !== wanted) throw new FormulaProblem(`'${wanted}' is expected in the formula, not '${word}'.`);
  }
}

type Reader = (words: Words, scope: FormulaScope) => Typed;

const readOr: Reader = (words, scope) => joined(words, scope, readAnd, ["or"], (_, all) => demand(all, "boolean"));
const readAnd: Reader = (words, scope) => joined(words, scope, readNot, ["and"], (_, all) => demand(all, "boolean"));

const readNot: Reader = (words, scope) => {
  if (words.takeIf("not") === undefined) return readComparison(words, scope);
  const denied = readNot(words, scope);
  return { formula: ["not", denied.formula], type: demand([denied], "boolean") };
};

const readComparison: Reader = (words, scope) => {
  const left = readSum(words, scope);
  if (words.takeIf("is") !== undefined) {
    const isNot = words.takeIf("not") !== undefined;
    words.expect("empty");
    const formula: Formula = ["empty", left.formula];
    return { formula: isNot ? ["not", formula] : formula, type: "boolean" };
  }
  const sign = words.takeIf("=", "==", "!=", "<", "<=", ">", ">=");
  if (sign === undefined) return left;
  const right = readSum(words, scope);
  const isDay = [left, right].some(({ type }) => type === "date") && [left, right].every(isDayText);
  if (left.type !== right.type && !isDay)
    throw new FormulaProblem(`A ${left.type} cannot be compared with a ${right.type}.`);
  return { formula: [sign === "==" ? "=" : sign, left.formula, right.formula], type: "boolean" };
};

/** A day may be written as text: `day >= '2026-01-01'`. */
function isDayText({ type, formula: [operation, value] }: Typed): boolean {
  return type === "date" || (operation === "value" && /^\d{4}-\d{2}-\d{2}$/.test(String(value)));
}

const readSum: Reader = (words, scope) => joined(words, scope, readProduct, ["+", "-"], sumType);
const readProduct: Reader = (words, scope) =>
  joined(words, scope, readSigned, ["*", "/", "%"], (_, all) => demand(all, "number"));

/** Days can be added to a date, and a date taken from another; `+` also joins texts. */
function sumType(sign: string, [left, right]: readonly [Typed, Typed]): ValueType {
  if (left.type === "date" && right.type === "number") return "date";
  if (left.type === "date" && right.type === "date" && sign === "-") return "number";
  if (sign === "+" && (left.type === "text" || right.type === "text")) return "text";
  return demand([left, right], "number");
}

const readSigned: Reader = (words, scope) => {
  if (words.takeIf("-") === undefined) return readValue(words, scope);
  const value = readSigned(words, scope);
  return { formula: ["-", ["value", 0], value.formula], type: demand([value], "number") };
};

const readValue: Reader = (words, scope) => {
  const word = words.take();
  if (word === "(") {
    const inner = readOr(words, scope);
    words.expect(")");
    return inner;
  }
  if (/^\d/.test(word)) return { formula: ["value", Number(word)], type: "number" };
  if (/^['"]./s.test(word)) return { formula: ["value", word.slice(1, -1)], type: "text" };
  if (word === "true" || word === "false") return { formula: ["value", word === "true"], type: "boolean" };
  if (word === "today") return { formula: ["today"], type: "date" };
  if (!/^[A-Za-z_]/.test(word)) throw new FormulaProblem(`'${word}' is not expected in the formula.`);
  if (words.takeIf("(") !== undefined) return readCall(word, words, scope);
  if (words.takeIf(".") === undefined) return { formula: ["field", word], type: typeOf(scope, word) };
  const referred = scope.referred(word);
  if (referred === undefined) throw new FormulaProblem(`'${word}' is no reference.`);
  const name = words.take();
  return { formula: ["of", referred.by, name], type: typeOf(referred.scope, name) };
};

function typeOf(scope: FormulaScope, name: string): ValueType {
  const type = scope.typeOf(name);
  if (type === undefined) throw new FormulaProblem(`There is no field '${name}', or it follows from this one.`);
  return type;
}

const aggregates = ["sum", "average", "min", "max", "count", "streak"];

function readCall(name: string, words: Words, scope: FormulaScope): Typed {
  if (aggregates.includes(name)) return readAggregate(name, words, scope);
  const given: Typed[] = [];
  if (words.next !== ")")
    do given.push(readOr(words, scope));
    while (words.takeIf(",") !== undefined);
  words.expect(")");
  const formula: Formula = [name, ...given.map((one) => one.formula)];
  if (name === "round" && (given.length === 1 || given.length === 2)) return { formula, type: demand(given, "number") };
  if (name === "if" && given.length === 3) {
    const [condition, yes, no] = given as [Typed, Typed, Typed];
    demand([condition], "boolean");
    if (yes.type !== no.type) throw new FormulaProblem("'if' gives values of two types.");
    return { formula, type: yes.type };
  }
  throw new FormulaProblem(
    `There is no '${name}' of ${given.length} values: there is round(x, 2), if(a, b, c), sum(…), …`,
  );
}

/** `sum(line.amount where paid)`: over the records that refer to this one. */
function readAggregate(name: string, words: Words, scope: FormulaScope): Typed {
  const entity = words.take();
  const found = scope.belonging(entity);
  if (found === undefined) throw new FormulaProblem(`No '${entity}' refers to this by exactly one field.`);
  const field = words.takeIf(".") === undefined ? null : words.take();
  const type = field === null ? undefined : typeOf(found.scope, field);
  const where = words.takeIf("where") === undefined ? undefined : readOr(words, found.scope);
  if (where !== undefined) demand([where], "boolean");
  words.expect(")");
  const isFitting =
    name === "count" ||
    type === (name === "streak" ? "date" : "number") ||
    (type === "date" && (name === "min" || name === "max"));
  if (!isFitting) throw new FormulaProblem(`'${name}' needs a field of ${name === "streak" ? "dates" : "numbers"}.`);
  const formula: Formula = [name, entity, found.by, field, where?.formula ?? null];
  return { formula, type: type === "date" && name !== "streak" && name !== "count" ? "date" : "number" };
}

/** Parts with signs between them, from left to right. */
function joined(
  words: Words,
  scope: FormulaScope,
  read: Reader,
  signs: readonly string[],
  typeFor: (sign: string, both: readonly [Typed, Typed]) => ValueType,
): Typed {
  let whole = read(words, scope);
  for (let sign = words.takeIf(...signs); sign !== undefined; sign = words.takeIf(...signs)) {
    const right = read(words, scope);
    whole = { type: typeFor(sign, [whole, right]), formula: [sign, whole.formula, right.formula] };
  }
  return whole;
}

function demand(parts: readonly Typed[], type: ValueType): ValueType {
  const other = parts.find((part) => part.type !== type);
  if (other !== undefined) throw new FormulaProblem(`A ${other.type} stands where a ${type} is needed.`);
  return type;
}
