import { addDays, dayOf } from "../src/records/dates.js";

const today = dayOf(new Date());

const examples = {
  boolean: () => true,
  date: ({ min, max }) => (max !== undefined && /^\d/.test(max) ? max : min !== undefined && /^\d/.test(min) ? min : today),
  datetime: () => `${today}T10:00`,
  time: () => "09:30",
  email: (_, count) => `someone${count}@example.org`,
  url: (_, count) => `https://example.org/${count}`,
  enum: ({ values }) => values[0],
  integer: ({ min, max }, count) => Math.min(max ?? Infinity, Math.ceil(min ?? 1) + count),
  number: ({ min, max }, count) => Math.min(max ?? Infinity, (min ?? 1) + count),
};

/** Values for the required fields of an entity, made to fit them; `count` makes one unlike the other. */
export function exampleRecord(entity, count, idOf) {
  const needed = entity.fields.filter(({ required, initial }) => required && initial === undefined);
  const value = (field) => {
    if (field.type === "reference") return idOf(field.to);
    const example = examples[field.type]?.(field, count) ?? exampleText(field, count);
    return field.type === "date" && field.min === "tomorrow" ? addDays(today, 1) : example;
  };
  return Object.fromEntries(needed.map((field) => [field.name, value(field)]));
}

function exampleText({ minLength = 0, maxLength = 200 }, count) {
  return `${count} example`.padEnd(minLength, "x").slice(0, maxLength);
}
