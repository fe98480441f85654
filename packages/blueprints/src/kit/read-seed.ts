import type { Unmet } from "../plugin.ts";
import { whyUnfit } from "./fits-pattern.ts";
import { pointerPart } from "./pointer.ts";
import type { Entity, KeptModel } from "./read-entities.ts";
import { type Field, typedValue } from "./read-fields.ts";

/** The values of a record that is there from the start. */
export type SeedRecord = Readonly<Record<string, unknown>>;

type Unseeded = Omit<Entity, "seed">;

/** Reads the records that are there from the start, with the ids 1, 2, 3, … in their order unless they say theirs. */
export function readSeed(
  model: KeptModel,
  entities: readonly Unseeded[],
  unmet: Unmet[],
): ReadonlyMap<string, readonly SeedRecord[]> {
  return new Map(
    entities.map((entity) => {
      const at = `/data_model/${pointerPart(entity.name)}/seed`;
      const records = (model[entity.name]!.seed ?? []).flatMap((given, index) => {
        const idFor = (field: Field, value: unknown) => idOf(model, entities, field, value);
        const values = recordOf(entity, given, `${at}/${index}`, idFor, unmet);
        return values === undefined ? [] : [{ id: idAt(given, index), ...values }];
      });
      return [entity.name, records];
    }),
  );
}

function recordOf(
  { fields }: Unseeded,
  given: SeedRecord,
  pointer: string,
  idFor: (field: Field, value: unknown) => number | undefined,
  unmet: Unmet[],
): SeedRecord | undefined {
  let isWhole = true;
  const entries = fields.flatMap((field) => {
    const value = given[field.name];
    const isGiven = value !== undefined && value !== null;
    const known = isGiven
      ? field.to === undefined
        ? typedValue(field.type, value, field.values)
        : idFor(field, value)
      : undefined;
    const problem = isGiven
      ? known === undefined
        ? "has a value that it cannot have"
        : problemWith(field, known)
      : undefined;
    const isMissing = !isGiven && field.required === true && field.initial === undefined;
    if (problem === undefined && !isMissing) return isGiven ? [[field.name, known] as const] : [];
    isWhole = false;
    unmet.push({ pointer, reason: `It is left out: ${field.name} ${isMissing ? "is required" : problem}.` });
    return [];
  });
  return isWhole ? Object.fromEntries(entries) : undefined;
}

/** What the generated program would refuse. */
function problemWith({ min, max, minLength, maxLength, pattern }: Field, value: unknown): string | undefined {
  if (typeof value === "number" && typeof min === "number" && value < min) return `must be at least ${min}`;
  if (typeof value === "number" && typeof max === "number" && value > max) return `must be at most ${max}`;
  if (typeof value !== "string") return undefined;
  if (minLength !== undefined && value.length < minLength) return `must have at least ${minLength} characters`;
  if (maxLength !== undefined && value.length > maxLength) return `must have at most ${maxLength} characters`;
  return pattern === undefined ? undefined : whyUnfit(pattern, value);
}

function idAt({ id }: SeedRecord, index: number): number {
  return typeof id === "number" && Number.isInteger(id) && id > 0 ? id : index + 1;
}

/** A reference says the id of a record of the seed, or its title. */
function idOf(model: KeptModel, entities: readonly Unseeded[], { to }: Field, value: unknown): number | undefined {
  const records = model[to!]!.seed ?? [];
  const { titleField } = entities.find(({ name }) => name === to)!;
  const found = records.findIndex((record, index) => idAt(record, index) === value || record[titleField] === value);
  return found === -1 ? undefined : idAt(records[found]!, found);
}
