import { type Expression, namesIn, type Scope } from "../../kit/expression/check-expression.ts";
import { text } from "../../kit/expression/value-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import type { Command, Computation, Field } from "./model.ts";
import type { CommandContext } from "./read-command.ts";
import type { WrittenCommand } from "./read-field.ts";
import { readScoped, scopeOf, wordFor } from "./scope.ts";

/** A command that works out its result; undefined if an expression is not understood, which is then refused. */
export function readComputation(written: WrittenCommand, base: Command, context: CommandContext): Command | undefined {
  const { tables, globals, refuse, uses } = context;
  const given = readStdin(written, base.arguments);
  const values = [...given, ...base.options, ...globals];
  const always = values.filter((field) =>
    given.includes(field) ? !field.optional || hasValue(field) : hasValue(field),
  );
  const forEach = readForEach(written, context);
  const scope = new Map(scopeOf(always, tables));
  if (forEach !== undefined) scope.set(forEach.name, text);
  const absent = values.filter((field) => !always.includes(field)).map(({ name }) => wordFor(name));
  const computation = readParts(written, { scope, forEach, absent, refuse });
  if (computation === undefined) return undefined;
  const used = new Set(expressionsOf(computation).flatMap(namesIn));
  const isUsed = ({ name }: Field) => used.has(wordFor(name)) || (written.prints ?? "").includes(`{${name}}`);
  for (const option of globals) if (isUsed(option)) uses(option.name);
  for (const list of ["arguments", "options"] as const)
    for (const [index, field] of (list === "arguments" ? given : base.options).entries())
      if (!isUsed(field)) refuse(`/${list}/${index}`, `No expression uses ${field.name}.`);
  const results = computation.results.map(({ name }) => name);
  const shown = [...given.map(({ name }) => name), ...(forEach === undefined ? [] : [forEach.name]), ...results];
  const known = new Set([...shown, ...values.map(({ name }) => name)]);
  const columns = (written.columns ?? []).filter((name, index) => {
    if (!known.has(name)) refuse(`/columns/${index}`, `The command has no '${name}'.`);
    return known.has(name);
  });
  return {
    ...base,
    arguments: given,
    prints:
      written.prints ?? results.map((name) => (results.length === 1 ? `{${name}}` : `${name}: {${name}}`)).join("\n"),
    columns: columns.length > 0 ? columns : shown,
    computation,
  };
}

/** The arguments, with where they come from if they are not given. */
function readStdin(written: WrittenCommand, given: readonly Field[]): readonly Field[] {
  return given.map((field, index) => {
    const value = (written.arguments ?? [])[index];
    const stdin = typeof value === "object" ? value.stdin : undefined;
    return stdin === undefined ? field : { ...field, stdin };
  });
}

/** Whether an option has a value even if it is not given. */
function hasValue({ required, default: fallback, type, stdin }: Field): boolean {
  return required === true || fallback !== undefined || type === "boolean" || stdin !== undefined;
}

function readForEach(written: WrittenCommand, { tables, refuse }: CommandContext) {
  if (written.for_each === undefined) return undefined;
  const { name, in: table } = written.for_each;
  const isName = /^[A-Za-z]\w*$/.test(name);
  if (!isName) refuse("/for_each/name", "An expression cannot use this name: write letters and '_'.");
  if (!Object.hasOwn(tables, table)) refuse("/for_each/in", `There is no table '${table}' under cli.tables.`);
  return isName && Object.hasOwn(tables, table) ? { name, table } : undefined;
}

interface PartContext {
  readonly scope: Map<string, Scope extends ReadonlyMap<string, infer Type> ? Type : never>;
  readonly forEach: { readonly name: string; readonly table: string } | undefined;
  /** Values that need not be given, so that no expression can count on them. */
  readonly absent: readonly string[];
  readonly refuse: CommandContext["refuse"];
}

function readParts(written: WrittenCommand, { scope, forEach, absent, refuse }: PartContext): Computation | undefined {
  const at = (pointer: string) => (reason: string) => {
    const word = absent.find((name) => reason.startsWith(`'${name}' is not known`));
    refuse(
      pointer,
      `${word === undefined ? reason : `${word} may be absent: give it a default.`} The command is not built.`,
    );
  };
  const { result = {}, decimals } = written;
  const where = written.for_each?.where;
  const errors = (written.errors ?? []).map(({ when, message, exit_code: code }, index) => {
    const read = readScoped(when, scope, ["boolean"], at(`/errors/${index}/when`));
    return read && { when: read, message, isUsage: code === "usage" };
  });
  const left = where === undefined ? undefined : readScoped(where, scope, ["boolean"], at("/for_each/where"));
  const shown = decimals === undefined ? undefined : readScoped(String(decimals), scope, ["number"], at("/decimals"));
  const isOne = typeof result === "string";
  const results = Object.entries(isOne ? { result } : result).map(([name, expression]) => {
    const pointer = isOne ? "/result" : `/result/${pointerPart(name)}`;
    if (!/^[A-Za-z]\w*$/.test(name) || scope.has(name)) {
      refuse(pointer, `'${name}' is taken, or no expression can use it. The command is not built.`);
      return undefined;
    }
    const value = readScoped(expression, scope, ["number", "text", "boolean", "date"], at(pointer));
    if (value !== undefined) scope.set(name, value.type);
    return value && { name, value };
  });
  const isWhole =
    results.length > 0 &&
    [...results, ...errors].every((part) => part !== undefined) &&
    (where === undefined || left !== undefined) &&
    (decimals === undefined || shown !== undefined) &&
    (written.for_each === undefined) === (forEach === undefined);
  if (!isWhole) return undefined;
  return {
    results: results.flatMap((each) => each ?? []),
    errors: errors.flatMap((each) => each ?? []),
    ...(shown !== undefined && { decimals: shown }),
    ...(forEach !== undefined && { forEach: { ...forEach, ...(left !== undefined && { where: left }) } }),
  };
}

/** All expressions of a computation. */
export function expressionsOf({ results, decimals, forEach, errors }: Computation): readonly Expression[] {
  return [
    ...results.map(({ value }) => value),
    ...(decimals === undefined ? [] : [decimals]),
    ...(forEach?.where === undefined ? [] : [forEach.where]),
    ...errors.map(({ when }) => when),
  ];
}
