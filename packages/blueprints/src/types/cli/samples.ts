import type { Field } from "./model.ts";

/** A valid value for a field, as typed on the command line; undefined if none is easy to find. */
export function sampleOf(field: Field): string | undefined {
  const { type, values, min, max, decimals } = field;
  if (values !== undefined) return isTypable(String(values[0]), field) ? String(values[0]) : undefined;
  switch (type) {
    case "integer":
    case "number":
    case "decimal": {
      const nearest = Math.min(max ?? Infinity, Math.max(min ?? -Infinity, 12));
      const number = type === "integer" ? Math.ceil(nearest) : nearest;
      const text = decimals === undefined ? String(number) : number.toFixed(decimals);
      const isInside = Number(text) >= (min ?? -Infinity) && Number(text) <= (max ?? Infinity);
      return isInside && /^-?\d{1,15}(?:\.\d+)?$/.test(text) ? text : undefined;
    }
    case "boolean":
      return "true";
    case "date":
      return "2030-03-01";
    case "datetime":
      return "2030-03-01T09:00:00.000Z";
    default: {
      const minLength = Math.max(1, field.min_length ?? 1);
      if (minLength > 1000 || minLength > (field.max_length ?? Infinity)) return undefined;
      return "sample"
        .repeat(Math.ceil(minLength / 6))
        .slice(0, Math.min(field.max_length ?? Infinity, Math.max(6, minLength)));
    }
  }
}

/** The same value, as it is stored. */
export function storedSample(field: Field): unknown {
  const text = sampleOf(field);
  if (text === undefined) return undefined;
  if (["integer", "number", "decimal"].includes(field.type)) return Number(text);
  return field.type === "boolean" ? true : text;
}

function isTypable(text: string, { type, required }: Field): boolean {
  if (["integer", "number", "decimal", "boolean", "date", "datetime"].includes(type)) return false;
  return !text.startsWith("-") && !(required && text.trim() === "");
}
