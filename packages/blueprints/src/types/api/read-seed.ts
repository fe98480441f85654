import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import { misfit } from "./misfit.ts";
import type { FieldModel } from "./model.ts";
import type { DraftResource } from "./read-data-model.ts";

type SeedRecord = Readonly<Record<string, unknown>>;

/** The records that the result would take, with the ids that they have in the document; the others are reported. */
export function fittingSeed(
  records: readonly SeedRecord[],
  { fields, pointer, parent }: DraftResource,
  drafts: readonly DraftResource[],
  unmet: Unmet[],
): readonly SeedRecord[] {
  const links = Object.entries(fields).filter(([, { type }]) => type === "reference");
  const above = parent === undefined ? [] : [[parent.field, { type: "reference", to: parent.resource }] as const];
  const taken = new Set<string>();
  let hasGap = false;
  return records.flatMap((record, index) => {
    const problem =
      misfitIn(fields, record) ?? lostIn([...above, ...links], record, drafts) ?? takenIn(fields, record, taken);
    if (problem === undefined) return [hasGap ? { id: index + 1, ...record } : record];
    hasGap = true;
    const [name, reason] = problem;
    const place = Object.hasOwn(record, name) ? `/${pointerPart(name)}` : "";
    unmet.push({ pointer: `${pointer}/seed/${index}${place}`, reason: `The record is left out: ${name} ${reason}.` });
    return [];
  });
}

type Problem = readonly [field: string, reason: string] | undefined;
type NamedField = readonly [string, Pick<FieldModel, "to" | "is_owner">];

function misfitIn(fields: Readonly<Record<string, FieldModel>>, record: SeedRecord): Problem {
  for (const [name, field] of Object.entries(fields)) {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (field.is_owner === true || (value === undefined && (field.is_role === true || field.default !== undefined)))
      continue;
    const reason = misfit(field, value);
    if (reason !== undefined) return [name, reason];
  }
  return undefined;
}

/** A reference of a record that is there from the start can only lead to another of these. */
function lostIn(links: readonly NamedField[], record: SeedRecord, drafts: readonly DraftResource[]): Problem {
  for (const [name, { to, is_owner: isOwner }] of links) {
    const value = record[name];
    const target = drafts.find((draft) => draft.name === to);
    if (value === undefined || value === null || isOwner === true || target === undefined) continue;
    const ids = (target.written.seed ?? []).map(({ id }, index) => String(id ?? index + 1));
    if (!ids.includes(String(value)))
      return [name, `leads to no ${target.title} that is there from the start: give the id of one`];
  }
  return undefined;
}

function takenIn(fields: Readonly<Record<string, FieldModel>>, record: SeedRecord, taken: Set<string>): Problem {
  for (const [name, { unique }] of Object.entries(fields)) {
    const value = record[name];
    if (unique !== true || value === undefined || value === null) continue;
    const key = JSON.stringify([name, value]).toLowerCase();
    if (taken.has(key)) return [name, "has a value that an earlier record has: choose another"];
    taken.add(key);
  }
  return undefined;
}
