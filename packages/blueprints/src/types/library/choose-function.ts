import { isDeepStrictEqual } from "node:util";
import { createContext, runInContext } from "node:vm";
import { js } from "../../kit/quote.ts";
import { type Case, catalogue, type Entry } from "./catalogue.ts";
import { isIdentifier } from "./identifier.ts";
import type { Designed, Example, Parameter } from "./read-design.ts";

/** A function of the catalogue, adapted to the document; or the reason why there is none. */
export type Choice =
  | { readonly is: "built"; readonly entry: Entry; readonly source: string; readonly cases: readonly Case[] }
  | { readonly is: "unbuilt"; readonly reason: string };

/** The first entry of that name that takes these parameters and passes every example. */
export function chooseFunction(designed: Designed): Choice {
  const entries = catalogue().get(designed.name);
  if (entries === undefined)
    return { is: "unbuilt", reason: `How ${designed.name} works is not known to the builder.` };
  let reason = `The ${designed.name} that is known takes other parameters.`;
  for (const entry of entries) {
    if (!takesThese(entry, designed.parameters)) continue;
    const source = functionSource(entry, designed.parameters);
    const wrong = entry.isAsync ? designed.examples[0] : firstWrong(source, entry.name, designed.examples);
    if (wrong === undefined) return { is: "built", entry, source, cases: holding(source, entry, designed) };
    reason = `The ${designed.name} that is known does not give what the example with ${describeArguments(wrong.args)} says.`;
  }
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

/** The function's source without `export`, with the document's parameter names, defaults and limits. */
function functionSource(entry: Entry, parameters: readonly Parameter[]): string {
  const wanted = parameters.length === 0 ? entry.parameters.length : parameters.length;
  const given = entry.parameters.slice(0, wanted);
  const signature = given.map(({ name, default: own }, index) => {
    const asked = parameters[index];
    if (asked === undefined) return own === undefined ? name : `${name} = ${own}`;
    if (asked.default !== undefined) return `${name} = ${js(asked.default)}`;
    return own !== undefined && asked.isOptional ? `${name} = ${own}` : name;
  });
  const fixed = entry.parameters.slice(wanted).map(({ name, default: own }) => `  const ${name} = ${own};`);
  const guards = given.flatMap(({ name }, index) => guardsFor(name, parameters[index], entry.body));
  const text = [
    `${entry.isAsync && entry.body.includes("await ") ? "async " : ""}function ${entry.name}(${signature.join(", ")}) {`,
    ...guards,
    ...fixed,
    entry.body,
    "}",
    ...(entry.below === "" ? [] : ["", entry.below]),
  ].join("\n");
  return given.reduce((source, { name }, index) => rename(source, name, parameters[index]?.name), text);
}

function guardsFor(name: string, parameter: Parameter | undefined, body: string): string[] {
  const { minimum, maximum } = parameter ?? {};
  const check = (limit: number | undefined, sign: string, words: string) =>
    limit === undefined || body.includes(`${name} ${sign} ${limit})`)
      ? []
      : [`  if (!(${name} ${sign} ${limit})) throw new RangeError("${name} must be ${words} ${limit}");`];
  return [...check(minimum, ">=", "at least"), ...check(maximum, "<=", "at most")];
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

/** The first example that the source fails. It runs in its own context, with a time limit. */
function firstWrong(source: string, name: string, examples: readonly Example[]): Example | undefined {
  if (examples.length === 0) return undefined;
  const calls = examples.map(({ args }) => `() => ${name}(...JSON.parse(${js(JSON.stringify(args))}))`);
  const results = evaluate(source, calls);
  return examples.find((example, index) => {
    const result = results?.[index];
    if (result === undefined) return true;
    if (example.throws !== undefined) return result.throws !== example.throws;
    return "throws" in result || !isDeepStrictEqual(result["gives"], example.returns);
  });
}

/** The catalogue's cases that hold for the adapted function. */
function holding(source: string, { cases, parameters }: Entry, designed: Designed): readonly Case[] {
  // Cases pass every parameter, so they say nothing about a function that takes fewer.
  const isWhole = designed.parameters.length === 0 || designed.parameters.length === parameters.length;
  if (!isWhole) return [];
  const direct = cases.filter(({ call }) => !call.startsWith("await "));
  const results = evaluate(
    source,
    direct.flatMap(({ call, gives }) => [`() => ${call}`, `() => (${gives ?? "null"})`]),
  );
  return cases.filter((each) => {
    const index = direct.indexOf(each);
    if (index === -1) return true;
    const [got, wanted] = [results?.[index * 2], results?.[index * 2 + 1]];
    return each.throws === undefined ? isDeepStrictEqual(got, wanted) : got?.throws === each.throws;
  });
}

type Result = { readonly gives?: unknown; readonly throws?: string };

// Created once: a context takes a millisecond. Only the catalogue's code runs in it, and it leaves no state.
const world = createContext(Object.create(null));

function evaluate(source: string, calls: readonly string[]): readonly Result[] | undefined {
  const program = `(() => {
${source}
return JSON.stringify([${calls.join(",\n")}].map((call) => {
  try { return { gives: call() }; } catch (error) { return { throws: error.name }; }
}));
})()`;
  try {
    return JSON.parse(runInContext(program, world, { timeout: 200 }));
  } catch {
    return undefined;
  }
}
