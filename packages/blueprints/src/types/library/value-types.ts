import type { Scope } from "../../kit/expression/check-expression.ts";
import { boolean, listOf, number, text, type ValueType } from "../../kit/expression/value-type.ts";
import type { Designed } from "./read-design.ts";

/** The type of expressions that a type of the document is; undefined if expressions have none for it. */
export function valueType(written: string): ValueType | undefined {
  const plain = written
    .trim()
    .toLowerCase()
    .replace(/^readonly /, "");
  const [, member] = /^(?:array|list)(?:<|\[| of )(\w+?)s?[>\]]?$/.exec(plain) ?? /^(\w+)\[\]$/.exec(plain) ?? [];
  if (member !== undefined) {
    const of = valueType(member);
    return of && listOf(of);
  }
  if (/^(?:number|integer|int|float|decimal)$/.test(plain)) return number;
  if (/^(?:string|str|text)$/.test(plain)) return text;
  return /^(?:boolean|bool)$/.test(plain) ? boolean : undefined;
}

/** The type of a value; undefined for what no expression can use. */
export function typeOfExample(value: unknown): ValueType | undefined {
  if (typeof value === "number") return number;
  if (typeof value === "string") return text;
  if (typeof value === "boolean") return boolean;
  if (!Array.isArray(value) || value.length === 0) return undefined;
  const [first, ...others] = value.map(typeOfExample);
  return first !== undefined && first.is !== "list" && others.every((other) => other?.is === first.is)
    ? listOf(first)
    : undefined;
}

/** The parameters whose type is said, or shown by an example, as names of expressions. */
export function parameterScope({ parameters, examples }: Designed): Scope {
  return new Map(
    parameters.flatMap(({ name, type }, place) => {
      const shown = examples.map(({ args }) => typeOfExample(args[place])).find((found) => found !== undefined);
      const found = type === "unknown" ? shown : valueType(type);
      return found === undefined || !/^[A-Za-z_]\w*$/.test(name) ? [] : [[name, found] as const];
    }),
  );
}

/** Whether a value is what was wanted: numbers may differ in their last digits. */
export function isAlike(got: unknown, wanted: unknown): boolean {
  if (typeof got === "number" && typeof wanted === "number")
    return Object.is(got, wanted) || Math.abs(got - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted));
  if (Array.isArray(got) && Array.isArray(wanted))
    return got.length === wanted.length && got.every((value, index) => isAlike(value, wanted[index]));
  if (typeof got !== "object" || typeof wanted !== "object" || got === null || wanted === null) return got === wanted;
  const [mine, yours] = [got, wanted] as Readonly<Record<string, unknown>>[];
  const names = Object.keys(mine!);
  return (
    !Array.isArray(got) &&
    !Array.isArray(wanted) &&
    names.length === Object.keys(yours!).length &&
    names.every((name) => Object.hasOwn(yours!, name) && isAlike(mine![name], yours![name]))
  );
}
