import type { Unmet } from "../plugin.ts";
import { type Formula, type FormulaScope, readFormula, type ValueType } from "./formula.ts";
import type { DocumentToBuild } from "./outcome-type.ts";
import { pointerPart } from "./pointer.ts";
import { type Field, fieldOf, isPlainName, labelOf, referenceTo } from "./read-fields.ts";
import { readSeed, type SeedRecord } from "./read-seed.ts";

/** What a document says of the records that an app keeps. */
export type KeptModel = NonNullable<DocumentToBuild<"desktop-app">["data_model"]>;
type KeptResource = KeptModel[string];

interface Computed {
  readonly name: string;
  readonly label: string;
  readonly type: ValueType;
  readonly formula: Formula;
  readonly decimals?: number;
}

interface Rule {
  /** The field that the refusal is told at. */
  readonly field: string;
  readonly message: string;
  readonly check?: Formula;
  readonly when?: Formula;
  readonly unique?: readonly string[];
}

/** A kind of records, as the generated program reads it. */
export interface Entity {
  readonly name: string;
  readonly was?: string;
  readonly titleField: string;
  readonly fields: readonly Field[];
  readonly computed: readonly Computed[];
  readonly rules: readonly Rule[];
  readonly seed: readonly SeedRecord[];
}

export interface ReadEntities {
  readonly entities: readonly Entity[];
  /** The names that formulas over the records of an entity may use. */
  readonly scopeOf: (entity: string) => FormulaScope;
  /** The names that formulas over all records may use. */
  readonly wholeScope: FormulaScope;
}

/** Reads what an app keeps; `instead` if the document says nothing of it that could be kept. */
export function readEntities(given: KeptModel | undefined, instead: KeptModel, unmet: Unmet[]): ReadEntities {
  const usable = Object.keys(given ?? {}).filter((name) => {
    if (/^[A-Za-z][\w -]{0,60}$/.test(name) && !(name in {})) return true;
    unmet.push({ pointer: pointerTo(name), reason: "This cannot be the name of something that is kept." });
    return false;
  });
  const [model, named] = usable.length > 0 ? [given!, usable] : [instead, Object.keys(instead)];
  const fields = new Map(named.map((name) => [name, fieldsOf(name, model[name]!, named, unmet)]));
  const formulas = new Formulas(model, fields, unmet);
  const entities = named.map((name) => {
    const resource = model[name]!;
    const own = fields.get(name)!;
    const wanted = resource.title_field;
    const known = [...own.map((field) => field.name), ...Object.keys(resource.computed ?? {})];
    if (wanted !== undefined && !known.includes(wanted))
      unmet.push({ pointer: `${pointerTo(name)}/title_field`, reason: "There is no such field." });
    const firstText = own.find(({ type }) => type !== "reference") ?? own[0]!;
    return {
      name,
      ...(resource.was !== undefined && { was: resource.was }),
      titleField: wanted !== undefined && known.includes(wanted) ? wanted : firstText.name,
      fields: own,
      computed: formulas.computedOf(name),
      rules: formulas.rulesOf(name),
    };
  });
  const seeds = readSeed(model, entities, unmet);
  return {
    entities: entities.map((entity) => ({ ...entity, seed: seeds.get(entity.name)! })),
    scopeOf: (name) => formulas.scopeOf(name),
    wholeScope: {
      typeOf: () => undefined,
      referred: () => undefined,
      belonging: (name) => (fields.has(name) ? { scope: formulas.scopeOf(name), by: null } : undefined),
    },
  };
}

function pointerTo(entity: string): string {
  return `/data_model/${pointerPart(entity)}`;
}

function fieldsOf(name: string, resource: KeptResource, names: readonly string[], unmet: Unmet[]): readonly Field[] {
  const at = `${pointerTo(name)}/fields`;
  const given = Object.entries(resource.fields ?? {}).flatMap(([field, value]) => {
    const pointer = `${at}/${pointerPart(field)}`;
    if (isPlainName(field)) return [fieldOf(field, value, names, pointer, unmet)];
    unmet.push({ pointer, reason: "This cannot be the name of a field." });
    return [];
  });
  const parent = resource.belongs_to;
  if (parent !== undefined && !names.includes(parent))
    unmet.push({ pointer: `${pointerTo(name)}/belongs_to`, reason: "Nothing of this name is kept." });
  const isNew = parent !== undefined && names.includes(parent) && !given.some((field) => field.name === `${parent}_id`);
  const own = isNew ? [referenceTo(parent, resource.on_delete ?? "cascade"), ...given] : given;
  if (given.length > 0) return own;
  if (resource.fields !== undefined || parent === undefined)
    unmet.push({ pointer: pointerTo(name), reason: "It says no fields: its records have a name." });
  return [...own, fieldOf("name", { type: "string", required: true }, names, at, unmet)];
}

/** The formulas of a model. Each may use others, but none itself. */
class Formulas {
  readonly #model: KeptModel;
  readonly #fields: ReadonlyMap<string, readonly Field[]>;
  readonly #unmet: Unmet[];
  readonly #read = new Map<string, Computed | undefined>();

  constructor(model: KeptModel, fields: ReadonlyMap<string, readonly Field[]>, unmet: Unmet[]) {
    this.#model = model;
    this.#fields = fields;
    this.#unmet = unmet;
  }

  computedOf(entity: string): readonly Computed[] {
    return Object.keys(this.#model[entity]!.computed ?? {}).flatMap((name) => this.#computed(entity, name) ?? []);
  }

  scopeOf(entity: string): FormulaScope {
    const fields = this.#fields.get(entity)!;
    return {
      typeOf: (name) => {
        const field = fields.find((one) => one.name === name);
        return field === undefined ? this.#computed(entity, name)?.type : valueType(field);
      },
      referred: (name) => {
        const field = fields.find((one) => one.to !== undefined && (one.name === name || one.name === `${name}_id`));
        return field?.to === undefined ? undefined : { scope: this.scopeOf(field.to), by: field.name };
      },
      belonging: (name) => {
        const references = (this.#fields.get(name) ?? []).filter(({ to }) => to === entity);
        return references.length === 1 ? { scope: this.scopeOf(name), by: references[0]!.name } : undefined;
      },
    };
  }

  #computed(entity: string, name: string): Computed | undefined {
    const key = `${entity}.${name}`;
    if (this.#read.has(key)) return this.#read.get(key);
    const given = this.#model[entity]!.computed ?? {};
    if (!Object.hasOwn(given, name)) return undefined;
    // While it is read it has no type: so a formula cannot follow from itself.
    this.#read.set(key, undefined);
    const pointer = `${pointerTo(entity)}/computed/${pointerPart(name)}`;
    const {
      formula: text,
      label,
      decimals,
    } = typeof given[name] === "string" ? { formula: given[name] } : given[name]!;
    if (!isPlainName(name) || this.#fields.get(entity)!.some((field) => field.name === name)) {
      this.#unmet.push({ pointer, reason: "This cannot be its name, or a field has it." });
      return undefined;
    }
    const read = readFormula(text, this.scopeOf(entity));
    if (read.problem !== undefined) {
      this.#unmet.push({ pointer, reason: read.problem });
      return undefined;
    }
    const { formula, type } = read;
    const isRounded = decimals !== undefined && type === "number";
    if (decimals !== undefined && !isRounded)
      this.#unmet.push({ pointer: `${pointer}/decimals`, reason: `A ${type} has none.` });
    const computed = { name, label: label ?? labelOf(name), type, formula, ...(isRounded && { decimals }) };
    this.#read.set(key, computed);
    return computed;
  }

  rulesOf(entity: string): readonly Rule[] {
    const fields = this.#fields.get(entity)!;
    return (this.#model[entity]!.rules ?? []).flatMap((given, index) => {
      const pointer = `${pointerTo(entity)}/rules/${index}`;
      const rule: Exclude<typeof given, string> = typeof given === "string" ? { check: given } : given;
      const refuse = (reason: string) => {
        this.#unmet.push({ pointer, reason });
        return undefined;
      };
      const read = (text: string | undefined) => {
        if (text === undefined) return undefined;
        const found = readFormula(text, this.scopeOf(entity));
        if (found.problem !== undefined) return refuse(found.problem);
        return found.type === "boolean" ? found.formula : refuse("It is neither true nor false.");
      };
      const { unique, message } = rule;
      const [check, when] = [read(rule.check), read(rule.when)];
      if (unique?.some((name) => !fields.some((field) => field.name === name)))
        return refuse("Not all of these are fields.") ?? [];
      if ((rule.check !== undefined && check === undefined) || (rule.when !== undefined && when === undefined))
        return [];
      if (check === undefined && unique === undefined) return refuse("It says neither 'check' nor 'unique'.") ?? [];
      const about = unique?.at(-1) ?? fieldIn(check!, fields) ?? fields[0]!.name;
      const words = message ?? (unique === undefined ? `must fit: ${rule.check}` : "is there already");
      const parts = { ...(check && { check }), ...(when && { when }), ...(unique && { unique: [...unique] }) };
      return [{ field: about, message: words, ...parts }];
    });
  }
}

/** The first field that a formula names. */
function fieldIn([operation, ...rest]: Formula, fields: readonly Field[]): string | undefined {
  if (operation === "field") return fields.find(({ name }) => name === rest[0])?.name;
  if (operation === "of") return String(rest[0]);
  return rest.flatMap((part) => (Array.isArray(part) ? (fieldIn(part as unknown as Formula, fields) ?? []) : []))[0];
}

function valueType({ type }: Field): ValueType {
  if (type === "integer" || type === "number" || type === "reference") return "number";
  return type === "boolean" || type === "date" ? type : "text";
}
