import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import { labelOf } from "../../kit/read-fields.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import type { Entity } from "./read-records.ts";

type Given = NonNullable<DocumentToBuild<"desktop-app">["windows"]>[number];

/** A list on the left, and the chosen record on the right. */
export interface AppWindow {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly width: number;
  readonly height: number;
  readonly minWidth: number;
  readonly hasSearch: boolean;
  readonly empty: string;
  readonly list: {
    readonly of: string;
    readonly title: string;
    readonly detail: readonly string[];
    readonly sort: string;
  };
  readonly detail: { readonly fields: readonly string[]; readonly lines: readonly Lines[] };
}

/** A table of the records that refer to the chosen one. */
interface Lines {
  readonly of: string;
  /** The reference by which they do. */
  readonly by: string;
}

/** Reads the windows; without any, one for each entity that is not part of another. */
export function readWindows(
  document: DocumentToBuild<"desktop-app">,
  entities: readonly Entity[],
  unmet: Unmet[],
): readonly AppWindow[] {
  const given = document.windows ?? [];
  const ids = new SafeNames(["index"]);
  const whole = entities.filter((entity) => linesOf(entity, entities) === undefined);
  const wanted: readonly Given[] =
    given.length > 0
      ? given.map((one) => one)
      : (whole.length > 0 ? whole : entities).map(({ name }) => ({ list: { of: name } }));
  const windows = wanted.map((one, index) => {
    const pointer = `/windows/${index}`;
    const refuse = (place: string, reason: string) => unmet.push({ pointer: `${pointer}/${place}`, reason });
    return windowOf(
      one,
      entities,
      { title: titleOf(document), ids, isFirst: index === 0, isOnly: wanted.length === 1 },
      refuse,
    );
  });
  if (given.length > 0) reportUnseen(windows, entities, unmet);
  return windows;
}

interface Around {
  readonly title: string;
  readonly ids: SafeNames;
  readonly isFirst: boolean;
  readonly isOnly: boolean;
}

type Refuse = (place: string, reason: string) => void;

function windowOf(given: Given, entities: readonly Entity[], around: Around, refuse: Refuse): AppWindow {
  const list = given.list ?? {};
  const entity = entities.find(({ name }) => name === list.of) ?? entities[0]!;
  if (list.of !== undefined && list.of !== entity.name)
    refuse("list/of", `Nothing of this name is kept; the window lists ${entity.name}.`);
  const names = [...entity.fields, ...entity.computed].map(({ name }) => name);
  const known = (place: string, wanted: string | readonly string[] | undefined) => {
    const all = wanted === undefined ? [] : typeof wanted === "string" ? [wanted] : wanted.map((name) => name);
    if (all.some((name) => !names.includes(name))) refuse(place, "Not all of these are fields.");
    return all.filter((name) => names.includes(name));
  };
  const entered = entity.fields.map(({ name }) => name);
  const id = around.ids.take(given.id ?? entity.name);
  if (given.id !== undefined && given.id !== id)
    refuse("id", `Another window has this id, or it cannot be in an address: it is ${id}. Choose another.`);
  const fields = known("detail/fields", given.detail?.fields);
  return {
    id,
    path: around.isFirst ? "/" : `/windows/${id}`,
    title: given.title ?? (around.isOnly ? around.title : labelOf(entity.file.replaceAll("-", " "))),
    width: given.width ?? 1000,
    height: given.height ?? 700,
    minWidth: given.min_width ?? 320,
    hasSearch: list.search ?? true,
    empty: list.empty ?? "Nothing here yet.",
    list: {
      of: entity.name,
      title: known("list/title", list.title)[0] ?? entity.titleField,
      detail: known("list/detail", list.detail),
      sort: sortOf(list.order_by, names, refuse),
    },
    detail: {
      fields: fields.length > 0 ? fields : shownOf(entity, entered),
      lines: readLines(given.detail?.lines, entity, entities, refuse),
    },
  };
}

function shownOf(entity: Entity, entered: readonly string[]): readonly string[] {
  const isHidden = (name: string) => entity.fields.some((field) => field.name === name && field.hidden === true);
  return [...entered.filter((name) => !isHidden(name)), ...entity.computed.map(({ name }) => name)];
}

function sortOf(wanted: string | undefined, names: readonly string[], refuse: Refuse): string {
  if (wanted === undefined || wanted === "newest") return "-id";
  if (names.includes(wanted.replace(/^-/, ""))) return wanted;
  refuse("list/order_by", "There is no such field: the newest come first.");
  return "-id";
}

function readLines(
  wanted: string | readonly string[] | undefined,
  entity: Entity,
  entities: readonly Entity[],
  refuse: Refuse,
): readonly Lines[] {
  const named = wanted === undefined ? undefined : typeof wanted === "string" ? [wanted] : wanted.map((name) => name);
  const all = named ?? entities.filter((other) => linesOf(other, entities) === entity.name).map(({ name }) => name);
  return all.flatMap((name) => {
    const other = entities.find((one) => one.name === name);
    const by = other?.fields.find(({ to }) => to === entity.name)?.name;
    if (by !== undefined) return [{ of: name, by }];
    refuse("detail/lines", `No '${name}' refers to ${entity.name}.`);
    return [];
  });
}

/** What an entity is a part of: it is deleted with it. */
function linesOf(entity: Entity, entities: readonly Entity[]): string | undefined {
  const parts = entity.fields.filter(
    ({ to, onDelete, required }) => to !== undefined && onDelete === "cascade" && required,
  );
  return parts.length === 1 && entities.length > 1 && parts[0]!.to !== entity.name ? parts[0]!.to : undefined;
}

/** Entities that no window shows. */
function reportUnseen(windows: readonly AppWindow[], entities: readonly Entity[], unmet: Unmet[]): void {
  const seen = new Set(windows.flatMap(({ list, detail }) => [list.of, ...detail.lines.map(({ of }) => of)]));
  for (const { name } of entities)
    if (!seen.has(name))
      unmet.push({ pointer: `/data_model/${pointerPart(name)}`, reason: "It has no window, only its API." });
}
