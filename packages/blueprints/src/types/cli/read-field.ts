import type { TypeKeys } from "@slipway/spec";
import type { SafeNames } from "../../kit/safe-name.ts";
import { withoutMisfits } from "./field-limits.ts";
import type { Field, Tables } from "./model.ts";

type Cli = NonNullable<TypeKeys<"cli">["cli"]>;
export type WrittenCommand = NonNullable<Cli["commands"]>[number];
export type WrittenParameter = Exclude<NonNullable<WrittenCommand["arguments"]>[number], string>;
type WrittenField = Omit<Exclude<NonNullable<Cli["record"]>["fields"][string], string>, "type"> & {
  readonly type?: string;
};

export type { Cli };

/** Says that a part of the document is not honoured, and why. */
export type Refuse = (pointer: string, reason: string) => void;

/** A field from its rules; those that its type cannot have are refused. */
export function readField(name: string, rules: WrittenField, refuse: Refuse): Field {
  return withoutMisfits(plainField(name, rules), refuse);
}

function plainField(name: string, rules: WrittenField): Field {
  const { type = "string", summary, required, min, max, decimals, min_length, max_length, values } = rules;
  const { default: fallback } = rules;
  return {
    name,
    type,
    ...(summary !== undefined && summary !== "" && { summary }),
    ...(required === true && { required: true }),
    ...(required === false && { optional: true }),
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(decimals !== undefined && { decimals }),
    ...(min_length !== undefined && { min_length }),
    ...(max_length !== undefined && { max_length }),
    ...(values !== undefined && values.length > 0 && { values: [...values] }),
    ...(fallback !== undefined && { default: fallback }),
  };
}

export interface ParameterContext {
  readonly fields: readonly Field[];
  readonly tables: Tables;
  readonly names: SafeNames;
  readonly refuse: Refuse;
}

/** An argument or option: a field of the record, or one of the command's own. */
export function readParameter(value: string | WrittenParameter, context: ParameterContext): Field {
  const { fields, names, refuse } = context;
  const wanted = (typeof value === "string" ? value : value.name).replace(/^--/, "");
  const known = fields.find((field) => field.name === wanted);
  const name = names.take(wanted);
  if (name !== wanted) refuse("", `'${wanted}' is taken, or cannot be typed: it is called ${name}.`);
  if (typeof value === "string") return known ?? { name, type: wanted === "id" ? "integer" : "string" };
  const own = ownRules(value, context);
  const type = value.type ?? known?.type ?? (wanted === "id" ? "integer" : "string");
  const values = own.values ?? value.values ?? known?.values;
  const rules = { ...rulesOf(value), ...(values !== undefined && { values }), type };
  return { ...known, ...readField(name, rules, refuse), ...own };
}

/** Only the rules that fields have too: other keys are read where they are honoured. */
function rulesOf(value: WrittenParameter): WrittenField {
  const { summary, required, min, max, decimals, min_length, max_length, values, default: fallback } = value;
  const all = { summary, required, min, max, decimals, min_length, max_length, values, default: fallback };
  return Object.fromEntries(Object.entries(all).filter(([, rule]) => rule !== undefined));
}

function ownRules(value: WrittenParameter, { tables, refuse }: ParameterContext): Partial<Field> {
  const { values_of: table, short, multiple } = value;
  const isTable = table !== undefined && Object.hasOwn(tables, table);
  if (table !== undefined && !isTable) refuse("/values_of", `There is no table '${table}' under cli.tables.`);
  const letter = short?.replace(/^-/, "");
  const isLetter = letter !== undefined && /^[a-gi-zA-UW-Z]$/.test(letter);
  if (letter !== undefined && !isLetter) refuse("/short", "This must be one letter; h and V are taken.");
  return {
    ...(isTable && { values: Object.keys(tables[table]!) }),
    ...(isLetter && { short: letter }),
    ...(multiple === true && { multiple }),
  };
}
