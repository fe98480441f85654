/** The type of a value in an expression. */
export type ValueType =
  | { readonly is: "number" | "text" | "boolean" | "date" }
  | { readonly is: "list"; readonly of: ValueType }
  | MapType;

/** A table, or a row of one. */
interface MapType {
  readonly is: "map";
  /** What it has for certain, by name. */
  readonly columns: ReadonlyMap<string, ValueType>;
  /** The type of all that it has; undefined if they differ. */
  readonly each: ValueType | undefined;
}

export const number: ValueType = { is: "number" };
export const text: ValueType = { is: "text" };
export const boolean: ValueType = { is: "boolean" };
export const date: ValueType = { is: "date" };

export function listOf(of: ValueType): ValueType {
  return { is: "list", of };
}

export function isSameType(a: ValueType, b: ValueType): boolean {
  return describeType(a) === describeType(b);
}

/** A type in words. */
export function describeType(type: ValueType): string {
  if (type.is === "list") return `list of ${describeType(type.of)}s`;
  return type.is === "map" ? "table" : type.is;
}

/** The type of a table that a document has; undefined if it holds what no expression can use. */
export function typeOfData(value: unknown): ValueType | undefined {
  if (typeof value === "number") return number;
  if (typeof value === "string") return text;
  if (typeof value === "boolean") return boolean;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const columns = new Map<string, ValueType>();
  for (const [name, member] of Object.entries(value)) {
    const type = typeOfData(member);
    if (type === undefined) return undefined;
    columns.set(name, type);
  }
  const [first, ...others] = columns.values();
  const each = others.reduce<ValueType | undefined>((all, one) => all && commonType(all, one), first);
  return { is: "map", columns, each };
}

/** What holds for values of both types; undefined if nothing does. */
function commonType(a: ValueType, b: ValueType): ValueType | undefined {
  if (a.is !== "map" || b.is !== "map") return isSameType(a, b) ? a : undefined;
  const columns = [...a.columns].flatMap(([name, type]) => {
    const other = b.columns.get(name);
    const both = other && commonType(type, other);
    return both === undefined ? [] : [[name, both] as const];
  });
  return { is: "map", columns: new Map(columns), each: a.each && b.each && commonType(a.each, b.each) };
}
