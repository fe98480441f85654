import { type Fields, listOf } from "../../kit/read-value.ts";
import type { Field } from "./model.ts";

const types = new Set("string integer number decimal boolean date datetime enum path".split(" "));
const numbers = ["min", "max", "decimals", "min_length", "max_length"] as const;

/** Reads a field from its rules; an unknown type is a string. */
export function readField(name: string, rules: Fields): Field {
  const type = typeof rules["type"] === "string" ? rules["type"] : "string";
  const values = listOf(rules["values"]).filter((value) => typeof value === "string" || typeof value === "number");
  const limits = numbers.flatMap((key) => (isLimit(key, rules[key]) ? [[key, rules[key]]] : []));
  const fallback = rules["default"];
  const { summary = rules["description"], short } = rules;
  return {
    name,
    type: types.has(type) ? type : "string",
    ...(typeof summary === "string" && summary !== "" && { summary }),
    ...(rules["required"] === true && { required: true }),
    ...((rules["optional"] === true || rules["required"] === false) && { optional: true }),
    ...(rules["multiple"] === true && { multiple: true }),
    ...Object.fromEntries(limits),
    ...(values.length > 0 && { values }),
    ...(["string", "number", "boolean"].includes(typeof fallback) && { default: fallback }),
    ...(typeof short === "string" && /^-?[A-Za-gi-z]$/.test(short) && { short: short.replace("-", "") }),
  };
}

function isLimit(key: string, value: unknown): boolean {
  if (typeof value !== "number" || !Number.isFinite(value)) return false;
  return key !== "decimals" || (Number.isInteger(value) && value >= 0 && value <= 9);
}
