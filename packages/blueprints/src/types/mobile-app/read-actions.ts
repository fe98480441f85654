import { type Formula, readFormula } from "../../kit/formula.ts";
import { pointerPart } from "../../kit/pointer.ts";
import type { Entity, ReadEntities } from "../../kit/read-entities.ts";
import { typedValue } from "../../kit/read-fields.ts";
import type { GivenScreen, Refuse } from "./read-screens.ts";

type Values = Readonly<Record<string, unknown>>;

/** What a row offers for a tap or a swipe. */
export interface Action {
  readonly label?: string;
  readonly opens?: string;
  readonly sets?: Values;
  readonly adds?: readonly { readonly entity: string; readonly by: string; readonly values: Values }[];
}

/** Which records a list has: a formula, or values that fields have. */
export function readWhere(
  where: GivenScreen["where"],
  entity: Entity,
  { scopeOf }: ReadEntities,
  refuse: Refuse,
): Formula | undefined {
  if (where === undefined) return undefined;
  if (typeof where === "string") {
    const read = readFormula(where, scopeOf(entity.name));
    if (read.problem !== undefined) refuse("where", read.problem);
    else if (read.type === "boolean") return read.formula;
    else refuse("where", "It is neither true nor false.");
    return undefined;
  }
  const conditions = Object.entries(valuesFor(entity, where, (reason) => refuse("where", reason))).map(
    ([name, value]): Formula => ["=", ["field", name], value === "today" ? ["today"] : ["value", value]],
  );
  return conditions.length === 0 ? undefined : conditions.reduce((all, one): Formula => ["and", all, one]);
}

/** The values of fields and formulas that a document names, checked against their types. */
function valuesFor(entity: Entity, given: Values, refuse: (reason: string) => void): Values {
  const entries = Object.entries(given).flatMap(([name, value]) => {
    const field = entity.fields.find((one) => one.name === name);
    const computed = entity.computed.find((one) => one.name === name);
    const type = field?.type ?? (computed?.type === "text" ? "string" : computed?.type);
    const known = type === undefined ? undefined : typedValue(type, value, field?.values);
    if (known !== undefined) return [[name, known] as const];
    refuse(`${name} cannot have this value.`);
    return [];
  });
  return Object.fromEntries(entries);
}

/** Reads what a row offers; undefined where there is nothing that it could do. */
export function readAction(
  given: GivenScreen["tap"],
  key: string,
  entity: Entity,
  { entities }: ReadEntities,
  ids: ReadonlyMap<string | undefined, string>,
  refuse: Refuse,
): Action | undefined {
  if (given === undefined) return undefined;
  const { opens } = given;
  if (key === "tap" && opens !== undefined) {
    if (ids.get(opens) === "form") return { opens };
    refuse(`${key}/opens`, "There is no such form.");
  } else if (opens !== undefined) refuse(`${key}/opens`, "Only a tap opens a form.");
  const fieldsOnly = { ...entity, computed: [] };
  const sets = valuesFor(fieldsOnly, given.sets ?? {}, (reason) => refuse(`${key}/sets`, reason));
  const adds = Object.entries(given.adds ?? {}).flatMap(([name, values]) => {
    const other = entities.find((one) => one.name === name);
    const references = other?.fields.filter(({ to }) => to === entity.name) ?? [];
    if (other === undefined || references.length !== 1) {
      refuse(`${key}/adds/${pointerPart(name)}`, `No '${name}' refers to ${entity.name} by exactly one field.`);
      return [];
    }
    const place = `${key}/adds/${pointerPart(name)}`;
    const own = valuesFor({ ...other, computed: [] }, values, (reason) => refuse(place, reason));
    return [{ entity: name, by: references[0]!.name, values: own }];
  });
  if (Object.keys(sets).length === 0 && adds.length === 0) {
    if (opens === undefined) refuse(key, "It opens no form, sets nothing and adds nothing.");
    return undefined;
  }
  return {
    label: given.label ?? (adds.length > 0 ? "Add" : "Set"),
    ...(Object.keys(sets).length > 0 && { sets }),
    ...(adds.length > 0 && { adds }),
  };
}
