import { formatValue } from "./values.js";

/** Puts values in the place of `{name}`; what has no value stays as it is. */
export function fill(template, values, fields = []) {
  return template.replace(/\{([^{}]+)\}/g, (whole, name) => {
    if (values[name] === undefined) return whole;
    return formatValue(fields.find((field) => field.name === name), values[name]);
  });
}
