import { toJsonLine } from "./to-json.ts";

/** Words and numbers that YAML would read as something else than text. */
const special = /^(?:true|false|null|yes|no|on|off|~|[-+.]?\d.*|\.(?:inf|nan))$/i;
const plain = /^[A-Za-z_/][\w/.@+-]*(?: [\w/.@+(),-]+)*$/;

/** A value of JSON as YAML, in blocks. */
export function toYaml(value: unknown, indent = ""): string {
  if (Array.isArray(value)) {
    if (value.length === 0) return `${indent}[]`;
    return value.map((item) => `${indent}- ${toYaml(item, `${indent}  `).trimStart()}`).join("\n");
  }
  if (typeof value !== "object" || value === null) return `${indent}${scalar(value)}`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return `${indent}{}`;
  return entries.map(([name, item]) => `${indent}${scalar(name)}:${below(item, indent)}`).join("\n");
}

function below(item: unknown, indent: string): string {
  const isBlock = typeof item === "object" && item !== null && Object.keys(item).length > 0;
  return isBlock ? `\n${toYaml(item, `${indent}  `)}` : ` ${toYaml(item)}`;
}

/** JSON's strings are YAML's double-quoted ones. */
function scalar(value: unknown): string {
  if (typeof value !== "string") return toJsonLine(value);
  return plain.test(value) && !special.test(value) ? value : toJsonLine(value);
}
