import { isBroken, isTrue } from "#src/expressions.js";
import { defaultOf } from "#src/validate.js";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const firstDay = Date.parse("2030-05-04T10:00:00Z");

/** A record that fits the fields and the rules of a resource; `ids` are those of what its references lead to. */
export function exampleOf({ fields, rules, examples = {} }, { number = 0, ids = {} } = {}) {
  const usesLater = new Set(rules.filter(({ kind }) => kind === "required").flatMap((rule) => rule.fields));
  const isOpen = ({ is_owner: isOwner, is_role: isRole, computed }) => !isOwner && !isRole && computed === undefined;
  const names = Object.keys(fields).filter((name) => isOpen(fields[name]));
  const entries = names.map((name, index) => {
    const field = fields[name];
    if (field.type === "reference") return [name, ids[name] ?? null];
    const isWanted = field.required || field.unique || usesLater.has(name) || field.default === undefined;
    if (!isWanted) return [name, defaultOf(field)];
    // What cannot be told from the field is in the model; records with different numbers have different values.
    const known = Object.hasOwn(examples, name) ? examples[name] : undefined;
    return [name, known === undefined ? exampleValue(field, number, index) : known[number % known.length]];
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Why no example of a resource is known, if none is. */
export function unknownOf({ fields, rules, examples = {} }) {
  const hidden = Object.keys(examples).find((name) => fields[name].required && examples[name].length === 0);
  if (hidden !== undefined) return `no value of ${hidden} is known that fits`;
  const worked = rules.find((rule) => rule.kind === "check" && rule.fields.some((name) => fields[name]?.computed));
  if (worked !== undefined) return `a rule is about what the service works out: ${worked.message}`;
  const record = exampleOf({ fields, rules, examples });
  const broken = rules.find(
    ({ kind, check, when }) =>
      kind === "check" && isTrue(when, record, () => undefined) && isBroken(check, record, () => undefined),
  );
  return broken === undefined ? undefined : `no record is known that keeps to the rule: ${broken.message}`;
}

function exampleValue(field, number, index) {
  const { type, values, of, min, max, min_length: minLength = 1, max_length: maxLength } = field;
  if (type === "enum") return field.default ?? values[0];
  if (type === "integer" || type === "number")
    return Math.min(min ?? 1, max ?? Number.MAX_SAFE_INTEGER);
  if (type === "list") return of === undefined ? [] : Array.from({ length: minLength }, () => exampleValue(of, 0, 0));
  // Later fields are later: what ends comes after what begins. Of two records, the second is on another day.
  const later = index * (type === "date" ? dayMs : hourMs);
  const moment = new Date(firstDay + number * 100 * dayMs + later).toISOString();
  const byType = {
    boolean: true,
    date: moment.slice(0, 10),
    datetime: moment,
    time: `${String(8 + (index % 12)).padStart(2, "0")}:00`,
    email: `someone${number}@example.org`,
    url: `https://example.org/${number}`,
    object: {},
    any: number,
  };
  if (Object.hasOwn(byType, type)) return byType[type];
  return "x".repeat(Math.max(1, minLength)).slice(0, maxLength);
}
