const plain: Readonly<Record<string, string>> = {
  string: "string",
  text: "string",
  number: "number",
  integer: "number",
  int: "number",
  float: "number",
  decimal: "number",
  boolean: "boolean",
  bool: "boolean",
  bigint: "bigint",
  date: "Date",
  regexp: "RegExp",
  null: "null",
  undefined: "undefined",
  void: "void",
  object: "Record<string, unknown>",
  array: "unknown[]",
  list: "unknown[]",
  function: "(...args: never[]) => unknown",
};

/** The TypeScript for a type of the document; `unknown` for a name that TypeScript does not have. */
export function typescriptType(written: string): string {
  const text = written.trim();
  if (text.length > 200) return "unknown";
  const union = text.split("|");
  if (union.length > 1 && !/[<(]/.test(text)) return union.map(typescriptType).join(" | ");
  if (text.endsWith("[]")) {
    const member = typescriptType(text.slice(0, -2));
    return /[ |>]/.test(member) ? `(${member})[]` : `${member}[]`;
  }
  const [, outer, inner] = /^(Promise|Array|Set)<(.+)>$/.exec(text) ?? [];
  if (outer !== undefined) return `${outer}<${typescriptType(inner!)}>`;
  const name = text.toLowerCase();
  return Object.hasOwn(plain, name) ? plain[name]! : "unknown";
}
