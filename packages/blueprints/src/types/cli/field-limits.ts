import { crossedLimit } from "../../kit/limits.ts";
import type { Field } from "./model.ts";

const numeric = ["integer", "number", "decimal"];
const limitsOf: Readonly<Record<"min" | "max" | "decimals" | "min_length" | "max_length", readonly string[]>> = {
  min: numeric,
  max: numeric,
  decimals: numeric,
  min_length: ["string", "path"],
  max_length: ["string", "path"],
};

/** The field without the limits and the default that its type cannot have; each of them is refused. */
export function withoutMisfits(field: Field, refuse: (pointer: string, reason: string) => void): Field {
  const dropped = new Set<string>();
  const drop = (key: string, reason: string) => {
    dropped.add(key);
    refuse(`/${key}`, reason);
  };
  for (const [key, types] of Object.entries(limitsOf))
    if (field[key as keyof typeof limitsOf] !== undefined && !types.includes(field.type))
      drop(key, `A value of the type ${field.type} has no '${key}': leave it out, or give another 'type'.`);
  const crossed = crossedLimit(without(field, dropped));
  if (crossed !== undefined) {
    drop(crossed.key, crossed.reason);
    dropped.add(crossed.key.replace("min", "max"));
  }
  const limited = without(field, dropped);
  const problem = limited.default === undefined ? undefined : misfit(limited, limited.default);
  if (problem !== undefined) drop("default", `It is left out: it ${problem}.`);
  return without(field, dropped);
}

function without(field: Field, keys: ReadonlySet<string>): Field {
  return Object.fromEntries(Object.entries(field).filter(([key]) => !keys.has(key))) as unknown as Field;
}

/** Why a value could not be given to the field; undefined if it could. */
function misfit({ values, ...field }: Field, value: string | number | boolean): string | undefined {
  if (values !== undefined)
    return values.map(String).includes(String(value)) ? undefined : `must be one of ${values.join(", ")}`;
  const { type, min, max, min_length: minLength, max_length: maxLength } = field;
  if (type === "boolean") return typeof value === "boolean" ? undefined : "must be true or false";
  if (numeric.includes(type)) {
    if (typeof value !== "number") return "must be a number";
    if (type === "integer" && !Number.isSafeInteger(value)) return "must be a whole number";
    if (min !== undefined && value < min) return `must be at least ${min}`;
    return max !== undefined && value > max ? `must be at most ${max}` : undefined;
  }
  if (typeof value !== "string") return "must be a text: put it in quotes";
  if (type === "date") return value === "today" || isDay(value) ? undefined : "must be a date such as 2030-01-31";
  if (type === "datetime")
    return value === "now" || !Number.isNaN(Date.parse(value)) ? undefined : "must be a time such as 2030-01-31T09:00Z";
  const { length } = [...value];
  if (minLength !== undefined && length < minLength) return `must have at least ${minLength} characters`;
  return maxLength !== undefined && length > maxLength ? `may have at most ${maxLength} characters` : undefined;
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(day.valueOf()) && day.toISOString().startsWith(text);
}
