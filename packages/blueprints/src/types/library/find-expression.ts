import type { Expression } from "../../kit/expression/check-expression.ts";
import { applyOperation, evaluateExpression } from "../../kit/expression/evaluate-expression.ts";
import { operations } from "../../kit/expression/operations.ts";
import { describeType, isSameType, number, text, type ValueType } from "../../kit/expression/value-type.ts";
import { isAlike } from "./value-types.ts";

/** An example that the search may use: a value for every parameter, and what comes of them. */
interface Sample {
  readonly values: readonly unknown[];
  readonly returns?: unknown;
  readonly throws?: string;
}

export interface Searched {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: ValueType }[];
  readonly samples: readonly Sample[];
  readonly gives: ValueType;
}

/** What was found; or why nothing was. */
export type Found = { readonly expression: Expression } | { readonly reason: string };

/** Operations that are tried: not those on dates, and none that few functions are made of. */
const rare = /today|date|days|year|month|weekday|before|after|^if$|^pi$|sin|cos|tan|exp|ln|log10/;
const tried = [...operations].filter(([name]) => !rare.test(name));

/** Calls that are worked out for one function, whatever they give: the search always ends soon. */
const maxTries = 800;

interface Candidate {
  readonly expression: Expression;
  /** What it gives for each sample; `failed` where it throws. */
  readonly outs: readonly unknown[];
}

const failed = Symbol("failed");

/**
 * The smallest composition of known operations that does what every sample says, if it is the only one. Compositions of
 * one operation are all tried; of two and three, those of which a sum, difference, product or quotient is made of smaller
 * ones, and as many others as there is room for.
 */
export function findExpression(searched: Searched): Found {
  const fits = (one: Candidate) =>
    isSameType(one.expression.type, searched.gives) &&
    searched.samples.every((sample, index) => isMet(sample, one.outs[index]));
  const plain = startingFrom(searched);
  const tries = { left: maxTries };
  const isBoolean = searched.gives.is === "boolean";
  const growing = { searched, tries, isBoolean, fits, plain: new Set(plain.map(keyOf)) };
  const single = grow(plain, plain, growing);
  const stages = [
    () => [...plain, ...single].filter(fits),
    () => combined(plain, single, searched).filter(fits),
    () => grow(single, plain, growing).filter(fits),
    () => combined(single, single, searched).filter(fits),
  ];
  for (const stage of stages) {
    const matches = stage();
    if (matches.length > 0) return chosen(matches, searched);
  }
  return { reason: `No composition of known operations gives what the examples of ${searched.name} say.` };
}

/** Of several that do what the examples say, the one whose operation is called like the function. */
function chosen(matches: readonly Candidate[], { name, parameters }: Searched): Found {
  const named = matches.find(({ expression }) => expression.is === "call" && isNamedLike(expression.operation, name));
  if (named !== undefined) return { expression: named.expression };
  const different = new Map(
    matches.map(({ expression }) => [probed(expression, parameters), expression] as const).toReversed(),
  );
  const [first, second] = [...different.values()].toReversed();
  if (second === undefined) return { expression: first! };
  const two = [first!, second].map(describe).join(" and ");
  return { reason: `The examples fit both ${two}: add one that tells them apart, or write 'result'.` };
}

/** What an expression gives for values that are in no example: two that agree there too are taken for the same. */
function probed(expression: Expression, parameters: Searched["parameters"]): string {
  const outs = [0, 1].map((turn) => {
    const values = parameters.map(({ name, type }, place) => [name, probeOf(type, turn + place)] as const);
    try {
      return withoutNoise(evaluateExpression(expression, Object.fromEntries(values)));
    } catch {
      return "failed";
    }
  });
  return JSON.stringify(outs);
}

/** Whether an operation is called like a function. */
export function isOperation(name: string): boolean {
  return tried.some(([operation]) => isNamedLike(operation, name));
}

/** Whether two names are the same but for how they are written: `standardDeviation` and `standard_deviation`. */
export function isNamedLike(operation: string, name: string): boolean {
  const plain = (word: string) => word.toLowerCase().replace(/[^a-z\d]/g, "");
  return plain(operation) === plain(name);
}

function startingFrom({ parameters, samples }: Searched): readonly Candidate[] {
  const hasText = parameters.some(({ type }) => describeType(type).includes("text"));
  const constants = [1, 2, 100, ...(hasText ? [" ", "-", ",", ""] : [])];
  return [
    ...parameters.map(({ name, type }, place) => ({
      expression: { is: "name", name, type } as const,
      outs: samples.map(({ values }) => values[place]),
    })),
    ...constants.map((value) => ({
      expression: { is: "value", value, type: typeof value === "number" ? number : text } as const,
      outs: samples.map(() => value),
    })),
  ];
}

interface Growing {
  readonly searched: Searched;
  readonly tries: { left: number };
  readonly isBoolean: boolean;
  readonly fits: (one: Candidate) => boolean;
  /** Keys of what needs no operation. */
  readonly plain: ReadonlySet<string>;
}

/** Every call of an operation with one part of the first kind and the others of the second; of those that give the same, one. */
function grow(main: readonly Candidate[], others: readonly Candidate[], growing: Growing): readonly Candidate[] {
  const { searched, tries, isBoolean, fits, plain } = growing;
  const found: Candidate[] = [];
  const known = new Set(plain);
  const isNamed = (operation: string) => isNamedLike(operation, searched.name);
  const first = tried.toSorted(([a], [b]) => Number(isNamed(b)) - Number(isNamed(a)));
  for (const [operation, ways] of first)
    for (const { takes, gives, helper } of ways) {
      // What is true or false goes into nothing but a function that says so.
      if (gives.is === "boolean" && !isBoolean) continue;
      for (const given of choices(main, others, takes)) {
        if (given.every(({ expression }) => expression.is === "value")) continue;
        if (tries.left-- <= 0) return found;
        const one = callOf(operation, helper, gives, given);
        if (isNamed(operation) && fits(one)) return [one];
        const key = keyOf(one);
        // All that fit are kept: whether they are the same is asked of other values.
        if (known.has(key) && !fits(one)) continue;
        known.add(key);
        found.push(one);
      }
    }
  return found;
}

/** The ways to choose a part for each type, of which at least one is of the first kind. */
function choices(
  main: readonly Candidate[],
  others: readonly Candidate[],
  takes: readonly ValueType[],
): readonly (readonly Candidate[])[] {
  const fitting = (from: readonly Candidate[], type: ValueType) =>
    from.filter(({ expression }) => isSameType(expression.type, type));
  const every = (from: readonly (readonly Candidate[])[]) =>
    from.reduce<readonly (readonly Candidate[])[]>(
      (chosenSoFar, next) => chosenSoFar.flatMap((before) => next.map((one) => [...before, one])),
      [[]],
    );
  if (takes.length === 0) return [];
  if (main === others) return every(takes.map((type) => fitting(others, type)));
  return takes.flatMap((_, place) => every(takes.map((type, at) => fitting(at === place ? main : others, type))));
}

/** Sums, differences, products and quotients that give the result: the second part follows from the first. */
function combined(
  left: readonly Candidate[],
  right: readonly Candidate[],
  { gives, samples }: Searched,
): readonly Candidate[] {
  if (gives.is !== "number") return [];
  const wanted = samples.map(({ returns }) => returns as number);
  const isShown = samples.map(({ throws }) => throws === undefined);
  const keyFor = (outs: readonly unknown[]) =>
    JSON.stringify(outs.map((out, at) => (isShown[at] ? withoutNoise(out) : 0)));
  const numbers = (from: readonly Candidate[]) => from.filter(({ expression }) => expression.type.is === "number");
  const known = new Map(
    numbers(right)
      .map((one) => [keyFor(one.outs), one] as const)
      .toReversed(),
  );
  const both = left === right ? numbers(left) : [...numbers(left), ...numbers(right)];
  if (left !== right) for (const one of numbers(left)) known.set(keyFor(one.outs), one);
  return both.flatMap((one) =>
    inverses.flatMap(({ operation, helper, second }) => {
      const needed = one.outs.map((out, at) => (typeof out === "number" ? second(out, wanted[at]!) : Number.NaN));
      const other = known.get(keyFor(needed));
      return other === undefined ? [] : [callOf(operation, helper, number, [one, other])];
    }),
  );
}

/** For `a + b = c`: what b must be. */
const inverses: readonly {
  readonly operation: string;
  readonly helper?: string;
  readonly second: (a: number, c: number) => number;
}[] = [
  { operation: "+", second: (a, c) => c - a },
  { operation: "-", second: (a, c) => a - c },
  { operation: "*", second: (a, c) => c / a },
  { operation: "/", helper: "divide", second: (a, c) => a / c },
];

function callOf(
  operation: string,
  helper: string | undefined,
  type: ValueType,
  given: readonly Candidate[],
): Candidate {
  const call = { operation, ...(helper !== undefined && { helper }) };
  const outs = given[0]!.outs.map((_, index) =>
    attempt(
      call,
      given.map((part) => part.outs[index]),
    ),
  );
  return { expression: { is: "call", ...call, given: given.map(({ expression }) => expression), type }, outs };
}

function attempt(call: { readonly operation: string; readonly helper?: string }, given: readonly unknown[]): unknown {
  if (given.includes(failed)) return failed;
  try {
    const out = applyOperation(call, given);
    return typeof out === "number" && !Number.isFinite(out) ? failed : out;
  } catch {
    return failed;
  }
}

/** Every failure is a RangeError. */
function isMet({ returns, throws }: Sample, out: unknown): boolean {
  if (throws !== undefined) return out === failed && (throws === "RangeError" || throws === "Error");
  return out !== failed && isAlike(out, returns);
}

function keyOf({ expression, outs }: Candidate): string {
  return `${describeType(expression.type)} ${JSON.stringify(outs.map((out) => (out === failed ? ["failed"] : out)))}`;
}

function withoutNoise(value: unknown): unknown {
  return typeof value === "number" && Number.isFinite(value) ? Number(value.toPrecision(9)) : value;
}

/** Values on which two compositions that agree on the examples may differ. */
function probeOf(type: ValueType, turn: number): unknown {
  if (type.is === "number") return [7, 3.5, 0.25][turn % 3];
  if (type.is === "text") return ["Two Words", "a-b,C d ", "x"][turn % 3];
  if (type.is === "boolean") return turn % 2 === 0;
  if (type.is !== "list") return undefined;
  return isSameType(type.of, number)
    ? [
        [3, 1, 2, 8, 8],
        [5, -1, 0.5, 9, 2],
      ][turn % 2]
    : [
        ["b", "a", "b"],
        ["C d", ""],
      ][turn % 2];
}

function describe(expression: Expression): string {
  if (expression.is === "value")
    return typeof expression.value === "string" ? `'${expression.value}'` : String(expression.value);
  if (expression.is === "name") return expression.name;
  if (expression.is !== "call") return "…";
  const parts = expression.given.map(describe);
  const isSign = !/^[a-z]/.test(expression.operation) || ["and", "or"].includes(expression.operation);
  return isSign ? parts.join(` ${expression.operation} `) : `${expression.operation}(${parts.join(", ")})`;
}
