import { js } from "./quote.ts";

const widest = 110;

/** A value as a person would write it in JavaScript: names without quotes where they need none, broken over lines if long. */
export function literal(value: unknown, indent = ""): string {
  if (typeof value !== "object" || value === null) return js(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? ["[", "]"] : ["{", "}"];
  const parts = (within: string): string[] =>
    isList
      ? value.map((member) => literal(member, within))
      : Object.entries(value)
          .filter(([, member]) => member !== undefined)
          .map(([key, member]) => `${keyOf(key)}: ${literal(member, within)}`);
  const onLine = parts(indent);
  if (onLine.length === 0) return `${open}${close}`;
  const line = isList ? `[${onLine.join(", ")}]` : `{ ${onLine.join(", ")} }`;
  if (indent.length + line.length <= widest && !line.includes("\n")) return line;
  const deeper = `${indent}  `;
  return `${open}\n${parts(deeper)
    .map((part) => `${deeper}${part},\n`)
    .join("")}${indent}${close}`;
}

/** `__proto__` as a plain name would set what the object inherits from. */
function keyOf(key: string): string {
  if (key === "__proto__") return '["__proto__"]';
  return /^[A-Za-z_$][\w$]*$/.test(key) ? key : js(key);
}
