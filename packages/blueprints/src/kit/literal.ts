import { js } from "./quote.ts";

const widest = 110;

/** A value as a person would write it in JavaScript: names without quotes where they need none, broken over lines if long. */
export function literal(value: unknown, indent = ""): string {
  const line = onOneLine(value);
  if (typeof value !== "object" || value === null || indent.length + line.length <= widest) return line;
  const deeper = `${indent}  `;
  const parts = partsOf(value).map(({ key, member }) => `${deeper}${key}${literal(member, deeper)},\n`);
  return Array.isArray(value) ? `[\n${parts.join("")}${indent}]` : `{\n${parts.join("")}${indent}}`;
}

function onOneLine(value: unknown): string {
  if (typeof value !== "object" || value === null) return js(value);
  const parts = partsOf(value).map(({ key, member }) => `${key}${onOneLine(member)}`);
  if (Array.isArray(value)) return `[${parts.join(", ")}]`;
  return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
}

function partsOf(value: object): { readonly key: string; readonly member: unknown }[] {
  if (Array.isArray(value)) return value.map((member) => ({ key: "", member }));
  return Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => ({ key: `${keyOf(key)}: `, member }));
}

/** `__proto__` as a plain name would set what the object inherits from. */
function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : js(key);
}
