import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";

interface Field extends Fields {
  readonly name: string;
  readonly type: string;
}

export interface Entity extends Fields {
  readonly name: string;
  readonly titleField: string;
  readonly fields: readonly Field[];
  /** Names of all fields, derived ones included. */
  readonly names: readonly string[];
}

const types = ["string", "text", "integer", "number", "boolean", "date", "enum"];

/** Whether a name is safe as a key of a record and of a form. */
function isPlainName(name: string): boolean {
  return /^[A-Za-z_]\w{0,60}$/.test(name) && !(name in {}) && name !== "id";
}

export function readEntities(document: CompleteSpec, unmet: Unmet[]): readonly Entity[] {
  const entries = Object.entries(fieldsOf(fieldsOf(document)["data_model"]));
  const entities = entries.flatMap(([name, value]) => {
    const pointer = `/data_model/${pointerPart(name)}`;
    if (isPlainName(name)) return [entityOf(name, fieldsOf(value), pointer, unmet)];
    unmet.push({ pointer, reason: "This cannot be the name of something that is kept." });
    return [];
  });
  if (entities.length > 0) return entities;
  return [entityOf("item", { fields: { name: { type: "string", required: true }, notes: { type: "text" } } }, "", [])];
}

function entityOf(name: string, entity: Fields, pointer: string, unmet: Unmet[]): Entity {
  const refuse = (place: string, reason: string) => unmet.push({ pointer: pointer + place, reason });
  unmet.push(
    ...unknownKeys(entity, ["stored", "title_field", "fields", "derived", "seed"], pointer, "what an app keeps"),
  );
  if (entity["stored"] !== undefined && entity["stored"] !== "device")
    refuse("/stored", "Everything is kept on the device, and nowhere else.");
  const fields = Object.entries(fieldsOf(entity["fields"])).flatMap(([field, value]) => {
    if (isPlainName(field)) return [fieldOf(field, value, `${pointer}/fields/${field}`, unmet)];
    refuse("/fields", `${field} cannot be the name of a field.`);
    return [];
  });
  const all = fields.length > 0 ? fields : [fieldOf("name", { type: "string", required: true }, "", [])];
  const derived = derivedOf(fieldsOf(entity["derived"]), all, refuse);
  const title = textOf(entity["title_field"], all[0]!.name);
  const names = [...all.map((field) => field.name), ...derived.map((one) => one.name)];
  return {
    name,
    titleField: names.includes(title) ? title : all[0]!.name,
    fields: all,
    names,
    derived,
    seed: listOf(entity["seed"]).map((values) => seedOf(fieldsOf(values), all)),
  };
}

function fieldOf(name: string, value: unknown, pointer: string, unmet: Unmet[]): Field {
  const field = typeof value === "string" ? { type: value } : fieldsOf(value);
  const values = [...new Set(textsOf(field["values"]))];
  const wanted = textOf(field["type"], values.length > 0 ? "enum" : "string");
  const isKnown = types.includes(wanted) && (wanted !== "enum" || values.length > 0);
  if (!isKnown) unmet.push({ pointer, reason: `A field of the type ${wanted} is kept as a string.` });
  const type = isKnown ? wanted : "string";
  const limit = (key: string) => (typeof field[key] === "number" ? numberOf(field[key], 0) : null);
  const isNumber = type === "integer" || type === "number";
  return {
    name,
    type,
    label: textOf(field["label"], name.replaceAll("_", " ")),
    required: field["required"] === true,
    maxLength: type === "string" || type === "text" ? limit("max_length") : null,
    min: isNumber ? limit("min") : null,
    max: isNumber ? limit("max") : null,
    values: type === "enum" ? values : null,
    hidden: field["hidden"] === true,
    initial: typedValue(type, field["default"], values) ?? (type === "boolean" ? false : null),
  };
}

/** The value, if it has the type of the field; else undefined. */
function typedValue(type: string, value: unknown, values: readonly string[] = []): unknown {
  if (type === "date") return dayOf(value);
  if (type === "boolean") return typeof value === "boolean" ? value : undefined;
  if (type === "integer" || type === "number") return typeof value === "number" ? value : undefined;
  if (type === "enum") return values.some((known) => known === value) ? value : undefined;
  return typeof value === "string" ? value : undefined;
}

function dayOf(value: unknown): unknown {
  if (typeof value === "string")
    return /^(?:today|tomorrow|yesterday|\d{4}-\d\d-\d\d)$/.test(value) ? value : undefined;
  const { days_ago: ago, days_from_now: ahead } = fieldsOf(value);
  if (typeof ago === "number") return { days_ago: Math.round(ago) };
  return typeof ahead === "number" ? { days_from_now: Math.round(ahead) } : undefined;
}

function seedOf(values: Fields, fields: readonly Field[]): Fields {
  return Object.fromEntries(
    fields.flatMap(({ name, type, ...field }) => {
      const value = typedValue(type, values[name], textsOf(field["values"]));
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The values that a list filters by, or a tap sets, checked against the types of the fields. */
export function settingsFor(entity: Entity, given: Fields, refuse: (reason: string) => void): Fields {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const field = entity.fields.find((one) => one.name === name);
    const known =
      field === undefined
        ? entity.names.includes(name)
          ? value
          : undefined
        : typedValue(field.type, value, textsOf(field["values"]));
    if (known !== undefined && ["string", "number", "boolean", "object"].includes(typeof known)) return [[name, known]];
    refuse(`${name} cannot have this value.`);
    return [];
  });
  return Object.fromEntries(entries);
}

type Refuse = (place: string, reason: string) => void;

function derivedOf(derived: Fields, fields: readonly Field[], refuse: Refuse): readonly (Fields & { name: string })[] {
  const names = fields.map(({ name }) => name);
  return Object.entries(derived).flatMap(([name, value]) => {
    const rule = fieldsOf(value);
    const isFree = isPlainName(name) && !names.includes(name);
    const conditions = listOf(rule["true_when"]).map(fieldsOf);
    const from = rule["from"];
    const plus = rule["plus_days"];
    const isSum =
      typeof from === "string" && names.includes(from) && (typeof plus === "number" || names.includes(String(plus)));
    const isCondition = conditions.length > 0 && conditions.every((one) => names.includes(String(one["field"])));
    if (!isFree || !(isSum || isCondition)) {
      refuse("/derived", `${name} follows from nothing that is known; days can be added, and conditions tried.`);
      return [];
    }
    names.push(name);
    return [
      {
        name,
        from: isSum ? from : null,
        plusDays: isSum ? plus : null,
        conditions: isSum ? null : conditions.map(conditionOf),
      },
    ];
  });
}

function conditionOf(condition: Fields): Fields {
  const limit = (key: string) => {
    const value = condition[key];
    return typeof value === "number" || typeof value === "boolean" || typeof value === "string"
      ? value
      : (dayOf(value) ?? null);
  };
  return {
    field: condition["field"],
    atMost: limit("at_most"),
    atLeast: limit("at_least"),
    equals: limit("equals"),
    orEmpty: condition["or_empty"] === true,
  };
}
