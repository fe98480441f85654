import { holds, withComputed } from "./records/compute.js";

/** The records that a screen lists, with what is computed of them, in its order. */
export function select(entity, screen, around) {
  const matching = around
    .all(entity.name)
    .filter((record) => screen.where === undefined || holds(screen.where, entity, record, around))
    .map((record) => withComputed(entity, record, around));
  if (screen.orderBy === undefined) return matching;
  const by = screen.orderBy.replace(/^-/, "");
  const direction = screen.orderBy.startsWith("-") ? -1 : 1;
  return matching.sort((a, b) => direction * compare(a[by] ?? null, b[by] ?? null) || a.id - b.id);
}

/** Numbers by size, and texts as people sort them; what is empty comes last. */
function compare(a, b) {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
}
