import { FileSet } from "../../kit/file-set.ts";
import { literal } from "../../kit/literal.ts";
import type { NodeTests } from "../../kit/node-tests.ts";
import { comment, js } from "../../kit/quote.ts";
import type { Case } from "./catalogue.ts";
import type { Choice } from "./choose-function.ts";
import { isIdentifier } from "./identifier.ts";
import type { Designed, Example } from "./read-design.ts";
import { typescriptType } from "./typescript-type.ts";

/** A function of the document, and what was found for it. */
export interface Chosen {
  readonly designed: Designed;
  readonly choice: Choice;
}

/** One parameter as callers see it. */
interface Seen {
  readonly name: string;
  readonly type: string;
  readonly isOptional: boolean;
  readonly description: string;
}

/** The module of a function and its tests. */
export function functionFiles(chosen: Chosen, { place }: NodeTests): FileSet {
  const { designed } = chosen;
  return new FileSet().add(`src/${designed.file}.js`, moduleOf(chosen)).add(place(designed.file), testOf(chosen));
}

function moduleOf(chosen: Chosen): string {
  const { designed, choice } = chosen;
  const documentation = docComment(chosen);
  if (choice.is === "built") return `${documentation}\nexport ${choice.source}`;
  return [
    'import { NotBuilt } from "./not-built.js";',
    "",
    documentation,
    `export function ${designed.name}() {`,
    `  throw new NotBuilt(${js(designed.name)});`,
    "}",
  ].join("\n");
}

function docComment({ designed, choice }: Chosen): string {
  const lines = [
    comment(designed.summary === "" ? designed.name : designed.summary),
    ...(choice.is === "built" ? [] : ["", "Not built: calling it throws."]),
    "",
    ...seenParameters({ designed, choice }).map(({ name, type, isOptional, description }) =>
      `@param {${type}} ${isOptional ? `[${name}]` : name} ${comment(description)}`.trimEnd(),
    ),
    `@returns {${returnType({ designed, choice })}}`,
    ...designed.throws.map(({ error, when }) =>
      `@throws {${isIdentifier(error) ? error : "Error"}} ${comment(when)}`.trimEnd(),
    ),
  ];
  return ["/**", ...lines.map((line) => ` * ${line}`.trimEnd()), " */"].join("\n");
}

/** The declaration of the function, with its documentation. */
export function declarationOf(chosen: Chosen): string {
  const { designed, choice } = chosen;
  const generics = choice.is === "built" ? choice.entry.generics : "";
  const parameters = seenParameters(chosen).map(
    ({ name, type, isOptional }) => `${name}${isOptional ? "?" : ""}: ${type}`,
  );
  const signature = `export function ${designed.name}${generics}(${parameters.join(", ")}): ${returnType(chosen)};`;
  return `${docComment(chosen)
    .replace(/(@\w+) \{.*\} ?/g, "$1 ")
    .replace(/ \* @returns\s*\n/, "")}\n${signature}`;
}

/** The function's signature, for the README. */
export function signatureOf(chosen: Chosen): string {
  const parameters = seenParameters(chosen).map(({ name, isOptional }) => `${name}${isOptional ? "?" : ""}`);
  return `${chosen.designed.name}(${parameters.join(", ")}): ${returnType(chosen)}`;
}

export function seenParameters({ designed, choice }: Chosen): readonly Seen[] {
  const names = new Set<string>();
  const unique = (name: string, index: number) => {
    const safe = isIdentifier(name) && !names.has(name) ? name : `value${index + 1}`;
    names.add(safe);
    return safe;
  };
  if (choice.is === "built" && designed.parameters.length === 0)
    return choice.entry.parameters.map(({ name, type, default: own }) => ({
      name,
      type,
      isOptional: own !== undefined,
      description: "",
    }));
  const seen = designed.parameters.map(({ name, type, isOptional, description }, index) => ({
    name: unique(name, index),
    type: choice.is === "built" ? choice.entry.parameters[index]!.type : typescriptType(type),
    isOptional,
    description,
  }));
  // TypeScript requires optional parameters to come last.
  const lastNeeded = seen.findLastIndex(({ isOptional }) => !isOptional);
  return seen.map((each, index) => ({ ...each, isOptional: each.isOptional && index > lastNeeded }));
}

function returnType({ designed, choice }: Chosen): string {
  return choice.is === "built" ? choice.entry.returns : typescriptType(designed.returns);
}

/** The call of an example, as source. */
export function callOf({ designed: { name } }: Chosen, { args }: Example): string {
  return `${name}(${args.map((value) => literal(value)).join(", ")})`;
}

function testOf(chosen: Chosen): string {
  const { designed, choice } = chosen;
  const { name } = designed;
  const head = [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    ...(choice.is === "unbuilt" ? ['import { NotBuilt } from "#src/not-built.js";'] : []),
    `import { ${name} } from ${js(`#src/${designed.file}.js`)};`,
    "",
  ];
  if (choice.is === "unbuilt")
    return [
      ...head,
      `test(${js(`${name} says that it was not built`)}, () => {`,
      `  assert.throws(() => ${name}(), NotBuilt);`,
      "});",
      ...designed.examples.map(
        (example) => `\ntest.todo(${js(`${callOf(chosen, example)} gives what was agreed on`)});`,
      ),
    ].join("\n");
  const examples = designed.examples.map((example) => assertion(asCase(chosen, example)));
  const isWaiting = choice.cases.some(({ call }) => call.startsWith("await "));
  return [
    ...head,
    ...block(`${name} gives what its examples say`, examples, false),
    ...block(`${name} keeps to what is known of it`, choice.cases.map(assertion), isWaiting),
    ...(examples.length + choice.cases.length === 0 ? [`test.todo(${js(`${name} has no example`)});`] : []),
  ].join("\n");
}

function asCase(chosen: Chosen, example: Example): Case {
  const call = callOf(chosen, example);
  return example.throws === undefined ? { call, gives: literal(example.returns) } : { call, throws: example.throws };
}

function assertion({ call, gives, throws }: Case): string {
  const isWaiting = call.startsWith("await ");
  if (throws !== undefined)
    return isWaiting
      ? `await assert.rejects(async () => ${call}, { name: ${js(throws)} });`
      : `assert.throws(() => ${call}, { name: ${js(throws)} });`;
  return `assert.deepEqual(${call}, ${gives});`;
}

function block(title: string, lines: readonly string[], isWaiting: boolean): string[] {
  if (lines.length === 0) return [];
  const start = `test(${js(title)}, ${isWaiting ? "async " : ""}() => {`;
  return [start, ...lines.map((line) => `  ${line}`), "});", ""];
}
