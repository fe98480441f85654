import { createContext, runInContext } from "node:vm";
import { type Expression, namesIn, readExpression, type Scope } from "../../kit/expression/check-expression.ts";
import { evaluateExpression } from "../../kit/expression/evaluate-expression.ts";
import { ExpressionProblem } from "../../kit/expression/parse-expression.ts";
import type { ValueType } from "../../kit/expression/value-type.ts";
import { js } from "../../kit/quote.ts";
import { type Case, catalogue, type Entry } from "./catalogue.ts";
import { findExpression, isNamedLike, isOperation } from "./find-expression.ts";
import { isIdentifier } from "./identifier.ts";
import type { Designed, Example, Parameter } from "./read-design.ts";
import type { Guard } from "./read-guards.ts";
import { isAlike, parameterScope, typeOfExample, valueType } from "./value-types.ts";

/** How a function is built: from the catalogue, adapted to the document, or by an expression; or why it is not. */
export type Choice =
  | {
      readonly is: "catalogue";
      readonly entry: Entry;
      readonly source: string;
      /** How the source calls its parameters. */
      readonly names: readonly string[];
      readonly cases: readonly Case[];
    }
  | { readonly is: "expression"; readonly expression: Expression }
  | { readonly is: "unbuilt"; readonly reason: string };

/** The function's `result`, else what is known under its name, else what does all that its examples say. */
export function chooseFunction(designed: Designed, guards: readonly Guard[], hasCatalogue: boolean): Choice {
  const scope = parameterScope(designed);
  if (designed.result !== undefined) return byResult(designed, designed.result, scope, guards);
  const known = hasCatalogue ? byName(designed, guards) : undefined;
  if (known !== undefined && known.is !== "unbuilt") return known;
  const found = byExamples(designed, scope, guards);
  // What is known under the name says more than that the search found nothing.
  return found.is === "unbuilt" && known !== undefined ? known : found;
}

const results: readonly ValueType["is"][] = ["number", "text", "boolean", "list"];

function byResult(designed: Designed, result: string, scope: Scope, guards: readonly Guard[]): Choice {
  try {
    const expression = readExpression(result, scope, results);
    const wrong = designed.examples.find((example) => !isMet(expression, designed, example, guards));
    if (wrong === undefined) return { is: "expression", expression };
    return unbuilt(`Its result is not what the example with ${describeArguments(wrong.args)} says.`);
  } catch (problem) {
    if (!(problem instanceof ExpressionProblem)) throw problem;
    return unbuilt(problem.message);
  }
}

function isMet(expression: Expression, designed: Designed, example: Example, guards: readonly Guard[]): boolean {
  const values = valuesOf(designed, example);
  const refused = guardFor(values, guards);
  if (refused !== undefined) return isSameError(refused, example.throws);
  try {
    const got = evaluateExpression(expression, values);
    return example.throws === undefined && isAlike(got, example.returns);
  } catch {
    return isSameError("RangeError", example.throws);
  }
}

/** The values of an example by the names of the parameters, with defaults. */
export function valuesOf(
  { parameters }: Pick<Designed, "parameters">,
  { args }: Pick<Example, "args">,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(parameters.map(({ name, default: fallback }, place) => [name, args[place] ?? fallback]));
}

/** The error of the first guard that refuses the values. */
export function guardFor(values: Readonly<Record<string, unknown>>, guards: readonly Guard[]): string | undefined {
  return guards.find(({ when }) => {
    if (namesIn(when).some((name) => values[name] === undefined)) return false;
    try {
      return evaluateExpression(when, values) === true;
    } catch {
      return false;
    }
  })?.error;
}

function isSameError(thrown: string, wanted: string | undefined): boolean {
  return wanted === thrown || wanted === "Error";
}

/** The first entry of that name that takes these parameters and passes every example; undefined for an unknown name. */
function byName(designed: Designed, guards: readonly Guard[]): Choice | undefined {
  const entries = catalogue().get(designed.name);
  if (entries === undefined) return undefined;
  let reason = `The ${designed.name} that is known takes other parameters.`;
  for (const entry of entries) {
    if (!takesThese(entry, designed.parameters)) continue;
    const { source, names } = functionSource(entry, designed.parameters);
    const { wrong, cases } = tryOut(source, entry, designed, guards);
    if (wrong === undefined) return { is: "catalogue", entry, source, names, cases };
    reason = `The ${designed.name} that is known does not give what the example with ${describeArguments(wrong.args)} says.`;
  }
  return unbuilt(reason);
}

/** Two examples at the least: one says too little. */
const minExamples = 2;

function byExamples(designed: Designed, scope: Scope, guards: readonly Guard[]): Choice {
  const { name, parameters, examples, returns } = designed;
  const shown = examples.find(({ throws }) => throws === undefined);
  const isSparse = examples.filter(({ throws }) => throws === undefined).length < minExamples;
  if ((isSparse && (shown === undefined || !isOperation(name))) || parameters.length === 0)
    return unbuilt(
      `How ${name} works is not known: write 'result', or 'parameters' and at least ${minExamples} examples of what it returns.`,
    );
  const gives = returns === "unknown" ? typeOfExample(shown!.returns) : valueType(returns);
  const missing = parameters.find((parameter) => !scope.has(parameter.name));
  if (gives === undefined || missing !== undefined)
    return unbuilt(`No operation is known for the type of ${missing?.name ?? "what it returns"}: write 'result'.`);
  const samples = examples
    .map((example) => ({ example, values: valuesOf(designed, example) }))
    .filter(({ example, values }) => {
      const refused = guardFor(values, guards);
      return refused === undefined || !isSameError(refused, example.throws);
    })
    .map(({ example: { args: _, ...rest }, values }) => ({ ...rest, values: Object.values(values) }));
  const found = findExpression({
    name,
    parameters: parameters.map((parameter) => ({ name: parameter.name, type: scope.get(parameter.name)! })),
    samples,
    gives,
  });
  if (!("expression" in found)) return unbuilt(found.reason);
  const isNamed = found.expression.is === "call" && isNamedLike(found.expression.operation, name);
  return isSparse && !isNamed ? unbuilt(`One example says too little of ${name}.`) : { is: "expression", ...found };
}

function unbuilt(reason: string): Choice {
  return { is: "unbuilt", reason };
}

function describeArguments(args: readonly unknown[]): string {
  const text = args.map((value) => js(value)).join(", ");
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}

function takesThese(entry: Entry, parameters: readonly Parameter[]): boolean {
  if (parameters.length === 0) return true;
  if (parameters.length > entry.parameters.length) return false;
  if (entry.parameters.slice(parameters.length).some((parameter) => parameter.default === undefined)) return false;
  return parameters.every(({ type }, index) => areAlike(kindOf(type), kindOf(entry.parameters[index]!.type)));
}

function areAlike(a: string, b: string): boolean {
  return a === "any" || b === "any" || a === b;
}

function kindOf(type: string): string {
  const plain = type
    .trim()
    .toLowerCase()
    .replace(/^readonly /, "");
  if (plain.includes("=>") || plain === "function") return plain.includes("|") ? "any" : "function";
  if (plain.endsWith("[]") || /^(?:array|list)\b/.test(plain)) return "array";
  if (/^(?:number|integer|int|float|decimal)$/.test(plain)) return "number";
  if (/^(?:string|text)$/.test(plain)) return "string";
  if (/^(?:boolean|bool)$/.test(plain)) return "boolean";
  return /^(?:object|record\b|map\b)/.test(plain) ? "object" : "any";
}

/** The function's source without `export`, with the document's parameter names and defaults. */
function functionSource(entry: Entry, parameters: readonly Parameter[]): { source: string; names: readonly string[] } {
  const wanted = parameters.length === 0 ? entry.parameters.length : parameters.length;
  const given = entry.parameters.slice(0, wanted);
  const signature = given.map(({ name, default: own }, index) => {
    const asked = parameters[index];
    if (asked === undefined) return own === undefined ? name : `${name} = ${own}`;
    if (asked.default !== undefined) return `${name} = ${js(asked.default)}`;
    return own !== undefined && asked.isOptional ? `${name} = ${own}` : name;
  });
  const fixed = entry.parameters.slice(wanted).map(({ name, default: own }) => `  const ${name} = ${own};`);
  let source = [
    `${entry.isAsync && entry.body.includes("await ") ? "async " : ""}function ${entry.name}(${signature.join(", ")}) {`,
    ...fixed,
    entry.body,
    "}",
    ...(entry.below === "" ? [] : ["", entry.below]),
  ].join("\n");
  const names = given.map(({ name }, index) => {
    const renamed = rename(source, name, parameters[index]?.name);
    const actual = renamed === source ? name : parameters[index]!.name;
    source = renamed;
    return actual;
  });
  return { source, names };
}

/** Renames only to a name that the source does not use: elsewhere it would change the meaning. */
function rename(source: string, from: string, to: string | undefined): string {
  if (
    to === undefined ||
    to === from ||
    !isIdentifier(to) ||
    new RegExp(`(?<![\\w$])${escaped(to)}(?![\\w$])`).test(source)
  )
    return source;
  return source.replace(new RegExp(`(?<![\\w$]|(?<!\\.\\.)\\.)${from}(?![\\w$])`, "g"), to.replaceAll("$", "$$$$"));
}

function escaped(name: string): string {
  return name.replaceAll("$", "\\$");
}

/** The first example that the source fails, and the catalogue's cases that hold for it. */
function tryOut(
  source: string,
  entry: Entry,
  designed: Designed,
  guards: readonly Guard[],
): { readonly wrong: Example | undefined; readonly cases: readonly Case[] } {
  const { examples, parameters } = designed;
  if (entry.isAsync && examples.length > 0) return { wrong: examples[0], cases: [] };
  const tooLarge = examples.find(({ args }) => !isCheap(entry, args));
  if (tooLarge !== undefined) return { wrong: tooLarge, cases: [] };
  // Cases pass every parameter, so they say nothing about a function that takes fewer.
  const isWhole = parameters.length === 0 || parameters.length === entry.parameters.length;
  const direct = isWhole && guards.length === 0 ? entry.cases.filter(({ call }) => !call.startsWith("await ")) : [];
  const outcomes = evaluate(source, [
    ...examples.map(({ args }) => `() => ${entry.name}(...JSON.parse(${js(JSON.stringify(args))}))`),
    ...direct.flatMap(({ call, gives }) => [`() => ${call}`, `() => (${gives ?? "null"})`]),
  ]);
  const wrong = examples.find((example, index) => {
    const refused = guardFor(valuesOf(designed, example), guards);
    if (refused !== undefined) return !isSameError(refused, example.throws);
    const outcome = outcomes?.[index];
    if (outcome === undefined) return true;
    if (outcome.throws !== undefined) return !isSameError(outcome.throws, example.throws);
    return example.throws !== undefined || !isAlike(outcome.gives, example.returns);
  });
  const holding = entry.cases.filter((each) => {
    const index = direct.indexOf(each);
    if (index === -1) return isWhole && each.call.startsWith("await ");
    const at = examples.length + index * 2;
    const [got, wanted] = [outcomes?.[at], outcomes?.[at + 1]];
    if (each.throws !== undefined) return got?.throws === each.throws;
    return got !== undefined && got.throws === undefined && isAlike(got.gives, wanted?.gives);
  });
  return { wrong, cases: holding };
}

const maxExampleLength = 4000;
const maxSteps = 1_000_000;
/** How many steps a call takes, of functions that take as many as a number of theirs says. */
const stepsOf: Readonly<Record<string, (...numbers: number[]) => number>> = {
  isPrime: (n = 0) => Math.sqrt(n),
  range: (start = 0, end = 0, step = 1) => Math.abs((end - start) / step),
};

/** Whether an example is tried at all: by its size, not by a clock, so that the result is the same on a busy machine. */
function isCheap({ name }: Entry, args: Example["args"]): boolean {
  return JSON.stringify(args).length <= maxExampleLength && !((stepsOf[name]?.(...args.map(Number)) ?? 0) > maxSteps);
}

type Outcome = { readonly gives?: unknown; readonly throws?: string };

// Created once: a context takes a millisecond. Only the catalogue's code runs in it, and it leaves no state.
const world = createContext(Object.create(null));

// A fuse: what is tried takes about a millisecond, also on a machine that is busy with other things.
const maxTrialMs = 5000;

function evaluate(source: string, calls: readonly string[]): readonly Outcome[] | undefined {
  const program = `(() => {
${source}
return JSON.stringify([${calls.join(",\n")}].map((call) => {
  try { return { gives: call() }; } catch (error) { return { throws: error.name }; }
}));
})()`;
  try {
    return JSON.parse(runInContext(program, world, { timeout: maxTrialMs }) as string) as readonly Outcome[];
  } catch {
    return undefined;
  }
}
