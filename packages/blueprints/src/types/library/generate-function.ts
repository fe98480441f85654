import { namesIn } from "../../kit/expression/check-expression.ts";
import { expressionInNode, helpersIn } from "../../kit/expression/write-expression.ts";
import { literal } from "../../kit/literal.ts";
import { comment, js } from "../../kit/quote.ts";
import type { Case } from "./catalogue.ts";
import type { Choice } from "./choose-function.ts";
import { isIdentifier } from "./identifier.ts";
import type { Designed, Example } from "./read-design.ts";
import type { Guard } from "./read-guards.ts";
import { typescriptType } from "./typescript-type.ts";

/** A function of the document that is built, and how. */
export interface Built {
  readonly designed: Designed;
  readonly choice: Exclude<Choice, { readonly is: "unbuilt" }>;
  readonly guards: readonly Guard[];
  /** Calls that its expression was worked out for, where the document has no examples. */
  readonly samples: readonly Example[];
}

/** How sources are written: plain JavaScript, or TypeScript. */
export type Dialect = "js" | "ts";

/** One parameter as callers see it. */
interface Seen {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string;
}

/** The functions of `calculate` that a function calls. */
export function helpersOf({ choice, guards }: Built): readonly string[] {
  const own = choice.is === "expression" ? helpersIn(choice.expression) : [];
  return [...own, ...guards.flatMap(({ when }) => helpersIn(when))];
}

/** The module of a function. */
export function moduleOf(built: Built, dialect: Dialect): string {
  const usesCalculate = helpersOf(built).length > 0;
  const source = built.choice.is === "catalogue" ? catalogueSource(built, dialect) : expressionSource(built, dialect);
  return [
    ...(usesCalculate ? [`import * as calculate from "./calculate.${dialect}";`, ""] : []),
    docComment(built, dialect),
    `export ${source}`,
  ].join("\n");
}

function expressionSource(built: Built, dialect: Dialect): string {
  const { designed, choice } = built;
  const seen = seenParameters(built);
  const names = new Map(designed.parameters.map(({ name }, place) => [name, seen[place]!.name]));
  const signature = seen.map(({ name, type, isOptional }, place) => {
    const fallback = designed.parameters[place]!.default;
    const typed = dialect === "ts" ? `${name}${isOptional && fallback === undefined ? "?" : ""}: ${type}` : name;
    return fallback === undefined ? typed : `${typed} = ${literal(fallback)}`;
  });
  const expression = (choice as Extract<Choice, { is: "expression" }>).expression;
  return [
    `function ${designed.name}(${signature.join(", ")})${dialect === "ts" ? `: ${returnType(built)}` : ""} {`,
    ...guardLines(built, names),
    `  return ${expressionInNode(expression, names, "calculate.")};`,
    "}",
  ].join("\n");
}

/** The catalogue's source with the document's guards and, in TypeScript, with types. */
function catalogueSource(built: Built, dialect: Dialect): string {
  const choice = built.choice as Extract<Choice, { is: "catalogue" }>;
  const [first, ...rest] = choice.source.split("\n") as [string, ...string[]];
  const names = new Map(built.designed.parameters.map(({ name }, place) => [name, choice.names[place]!]));
  const isKnown = (line: string) => choice.source.includes(line.trim().replace(/ throw .*/, " throw"));
  const guards = guardLines(built, names).filter((line) => !isKnown(line));
  if (dialect === "js") return [first, ...guards, ...rest].join("\n");
  const body = choice.entry.typed.reduce(
    (text, [plain, typed]) => text.replaceAll(plain, () => typed),
    rest.join("\n"),
  );
  return [typedSignature(first, built), ...guards, body].join("\n");
}

/** `function f(a, b = 1) {` with the types of its parameters. */
function typedSignature(line: string, built: Built): string {
  const { entry, names } = built.choice as Extract<Choice, { is: "catalogue" }>;
  const typed = names.reduce((text, name, place) => {
    const isOptional = built.designed.parameters[place]?.isOptional === true && !text.includes(`${name} = `);
    return text.replace(
      new RegExp(`([(,] ?)${name.replaceAll("$", "\\$")}(?=[,) ])`),
      (_, start: string) => `${start}${name}${isOptional ? "?" : ""}: ${entry.parameters[place]!.type}`,
    );
  }, line);
  return typed
    .replace(`function ${entry.name}(`, `function ${entry.name}${entry.generics}(`)
    .replace(/\) \{$/, `): ${entry.returns} {`);
}

function guardLines({ designed, guards }: Built, names: ReadonlyMap<string, string>): string[] {
  return guards.map(({ error, when, message }) => {
    const absent = designed.parameters
      .filter(({ name, isOptional, default: own }) => isOptional && own === undefined && namesIn(when).includes(name))
      .map(({ name }) => `${names.get(name)} !== undefined && `);
    const condition = expressionInNode(when, names, "calculate.");
    return `  if (${absent.join("")}${condition}) throw new ${error}(${js(message)});`;
  });
}

function docComment(built: Built, dialect: Dialect): string {
  const { designed } = built;
  const shown = (type: string) => (dialect === "js" ? `{${type}} ` : "");
  const lines = [
    comment(designed.summary === "" ? designed.name : designed.summary),
    "",
    ...seenParameters(built).map(({ name, type, isOptional, description }) =>
      `@param ${shown(type)}${isOptional && dialect === "js" ? `[${name}]` : name} ${comment(description)}`.trimEnd(),
    ),
    ...(dialect === "js" ? [`@returns {${returnType(built)}}`] : []),
    ...designed.throws.map(({ error, when }) =>
      `@throws {${isIdentifier(error) ? error : "Error"}} ${comment(when)}`.trimEnd(),
    ),
  ];
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].join("\n");
}

/** The declaration of the function, with its documentation. */
export function declarationOf(built: Built): string {
  const generics = built.choice.is === "catalogue" ? built.choice.entry.generics : "";
  const parameters = seenParameters(built).map(
    ({ name, type, isOptional }) => `${name}${isOptional ? "?" : ""}: ${type}`,
  );
  const signature = `export function ${built.designed.name}${generics}(${parameters.join(", ")}): ${returnType(built)};`;
  return `${docComment(built, "ts")}\n${signature}`;
}

/** The function's signature, for the README. */
export function signatureOf(built: Built): string {
  const parameters = seenParameters(built).map(({ name, isOptional }) => `${name}${isOptional ? "?" : ""}`);
  return `${built.designed.name}(${parameters.join(", ")}): ${returnType(built)}`;
}

export function seenParameters({ designed, choice }: Pick<Built, "designed" | "choice">): readonly Seen[] {
  const names = new Set<string>();
  const unique = (name: string, index: number) => {
    const safe = isIdentifier(name) && name !== "calculate" && !names.has(name) ? name : `value${index + 1}`;
    names.add(safe);
    return safe;
  };
  if (choice.is === "catalogue" && designed.parameters.length === 0)
    return choice.entry.parameters.map(({ name, type, default: own }) => ({
      name,
      type,
      isOptional: own !== undefined,
      description: "",
    }));
  const seen = designed.parameters.map(({ name, type, isOptional, description }, index) => ({
    name: unique(name, index),
    type: choice.is === "catalogue" ? choice.entry.parameters[index]!.type : readonlyType(type, designed, index),
    isOptional,
    description,
  }));
  // TypeScript requires optional parameters to come last.
  const lastNeeded = seen.findLastIndex(({ isOptional }) => !isOptional);
  return seen.map((each, index) => ({ ...each, isOptional: each.isOptional && index > lastNeeded }));
}

function readonlyType(written: string, { examples }: Designed, place: number): string {
  const type =
    written === "unknown"
      ? typeOfArgument(examples.find(({ args }) => args.length > place)?.args[place])
      : typescriptType(written);
  return type.endsWith("[]") ? `readonly ${type}` : type;
}

function typeOfArgument(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? "unknown[]" : `${typeof value[0]}[]`;
  return typeof value;
}

function returnType({ choice }: Pick<Built, "choice">): string {
  if (choice.is === "catalogue") return choice.entry.returns;
  const { type } = choice.expression;
  const plain = (is: string) => (is === "text" ? "string" : is);
  return type.is === "list" ? `${plain(type.of.is)}[]` : plain(type.is);
}

/** The call of an example, as source. */
export function callOf({ designed: { name } }: Pick<Built, "designed">, { args }: Example): string {
  return `${name}(${args.map((value) => literal(value)).join(", ")})`;
}

/** The tests of a function: its examples, and what is known of it. */
export function testOf(built: Built, dialect: Dialect): string | undefined {
  const { designed, choice, samples } = built;
  const { name } = designed;
  const examples = designed.examples.map((example) => assertion(asCase(built, example)));
  const computed = samples.map((example) => assertion(asCase(built, example)));
  const cases = choice.is === "catalogue" ? choice.cases : [];
  if (examples.length + cases.length + computed.length === 0) return undefined;
  const isWaiting = cases.some(({ call }) => call.startsWith("await "));
  const lines = [...examples, ...computed, ...cases.map(assertion)];
  return [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    `import { ${name} } from ${js(`#src/${designed.file}.${dialect}`)};`,
    ...(lines.some((line) => line.startsWith("assertClose("))
      ? ['import { assertClose } from "#tools/assert-close.js";']
      : []),
    "",
    ...block(`${name} gives what its examples say`, examples, false),
    ...block(`${name} gives what its expression says`, computed, false),
    ...block(`${name} keeps to what is known of it`, cases.map(assertion), isWaiting),
  ].join("\n");
}

function asCase(built: Built, example: Example): Case {
  const call = callOf(built, example);
  return example.throws === undefined ? { call, gives: literal(example.returns) } : { call, throws: example.throws };
}

function assertion({ call, gives, throws }: Case): string {
  const isWaiting = call.startsWith("await ");
  if (throws !== undefined) {
    const wanted = throws === "Error" ? "Error" : `{ name: ${js(throws)} }`;
    return isWaiting
      ? `await assert.rejects(async () => ${call}, ${wanted});`
      : `assert.throws(() => ${call}, ${wanted});`;
  }
  // Numbers with a fraction are right to their last digits but a few.
  if (/^[-[\d., \]]+$/.test(gives!) && gives!.includes(".")) return `assertClose(${call}, ${gives});`;
  return `assert.deepEqual(${call}, ${gives});`;
}

function block(title: string, lines: readonly string[], isWaiting: boolean): string[] {
  if (lines.length === 0) return [];
  const start = `test(${js(title)}, ${isWaiting ? "async " : ""}() => {`;
  return [start, ...lines.map((line) => `  ${line}`), "});", ""];
}
