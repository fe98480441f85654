import { js } from "./quote.ts";

const maxLineLength = 110;

/** A value as JavaScript source: keys unquoted where possible, broken over lines if long. */
export function literal(value: unknown, indent = ""): string {
  const line = onOneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= maxLineLength) return line;
  const deeper = `${indent}  `;
  const parts = membersOf(value).map(({ key, member }) => `${deeper}${key}${literal(member, deeper)},\n`);
  return Array.isArray(value) ? `[\n${parts.join("")}${indent}]` : `{\n${parts.join("")}${indent}}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return js(value);
  const parts = membersOf(value).map(({ key, member }) => `${key}${onOneLine(member)}`);
  if (Array.isArray(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function membersOf(value: object): { readonly key: string; readonly member: unknown }[] {
  if (Array.isArray(value)) return value.map((member) => ({ key: "", member }));
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => ({ key: `${keyOf(key)}: `, member }));
}

/** A plain `__proto__` key would set the prototype. */
function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : js(key);
}
