import type { CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { type Fields, fieldsOf, listOf, textOf, textsOf } from "../../kit/read-value.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";
import { type Entity, settingsFor } from "./read-entities.ts";

export interface Screen extends Fields {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly kind: "list" | "form";
  readonly of: string;
}

/** Reads the screens; without any, a list and a form for every entity. */
export function readScreens(document: CompleteSpec, entities: readonly Entity[], unmet: Unmet[]): readonly Screen[] {
  const ids = new SafeNames();
  const paths = new Set<string>();
  const given = listOf(fieldsOf(document)["screens"]).map(fieldsOf);
  const known = new Set(given.map((screen) => screen["id"]));
  const screens = given.flatMap((screen, index) => {
    const pointer = `/screens/${index}`;
    const kind = textOf(screen["kind"], "list");
    const entity = entities.find(({ name }) => name === (screen["of"] ?? entities[0]!.name));
    if ((kind !== "list" && kind !== "form") || entity === undefined) {
      unmet.push({ pointer, reason: "A screen is a list or a form of something that is kept." });
      return [];
    }
    const id = ids.take(textOf(screen["id"], `${entity.name}-${kind}`));
    const path = pathOf(screen["path"], id, paths, pointer, unmet);
    unmet.push(...unknownKeys(screen, kind === "list" ? listKeys : formKeys, pointer, `a ${kind}`));
    const title = textOf(screen["title"], entity.name);
    const base = { id, path, title, of: entity.name };
    return [
      kind === "form" ? formScreen(base, screen, entity) : listScreen(base, screen, entity, known, pointer, unmet),
    ];
  });
  if (screens.some(({ kind }) => kind === "list")) return screens;
  return [...defaultScreens(entities, ids, paths), ...screens];
}

const common = ["id", "path", "title", "kind", "of"];
const listKeys = [...common, "where", "order_by", "row", "tap", "swipe_left", "swipe_right", "empty"];
const formKeys = [...common, "fields", "actions"];

type Base = Pick<Screen, "id" | "path" | "title" | "of">;

function listScreen(
  base: Base,
  screen: Fields,
  entity: Entity,
  ids: ReadonlySet<unknown>,
  pointer: string,
  unmet: Unmet[],
): Screen {
  const refuse = (place: string) => (reason: string) => unmet.push({ pointer: `${pointer}/${place}`, reason });
  const row = fieldsOf(screen["row"]);
  const column = (value: unknown, fallback: string | null) => {
    if (value !== undefined && !entity.names.includes(String(value)))
      refuse("row")(`There is no field ${String(value)}.`);
    return entity.names.includes(String(value)) ? String(value) : fallback;
  };
  const order = screen["order_by"];
  if (order !== undefined && !entity.names.includes(String(order))) refuse("order_by")("There is no such field.");
  const action = (key: string): Fields | null => {
    const value = fieldsOf(screen[key]);
    if (Object.keys(value).length === 0) return null;
    if (key === "tap" && ids.has(value["opens"])) return { opens: value["opens"] };
    if (Object.keys(fieldsOf(value["sets"])).length > 0)
      return { label: textOf(value["label"], "Set"), sets: settingsFor(entity, fieldsOf(value["sets"]), refuse(key)) };
    refuse(key)("It opens no screen and sets nothing.");
    return null;
  };
  return {
    ...base,
    kind: "list",
    where: settingsFor(entity, fieldsOf(screen["where"]), refuse("where")),
    orderBy: entity.names.includes(String(order)) ? String(order) : null,
    row: { title: column(row["title"], entity.titleField), detail: column(row["detail"], null) },
    tap: action("tap"),
    swipeLeft: action("swipe_left"),
    swipeRight: action("swipe_right"),
    empty: textOf(screen["empty"], "Nothing here yet."),
  };
}

function formScreen(base: Base, screen: Fields, entity: Entity): Screen {
  const wanted = textsOf(screen["fields"]).filter((name) => entity.fields.some((field) => field.name === name));
  const visible = entity.fields.filter((field) => field["hidden"] !== true).map(({ name }) => name);
  const actions = textsOf(screen["actions"]).filter((action) => action === "save" || action === "delete");
  return {
    ...base,
    kind: "form",
    fields: wanted.length > 0 ? wanted : visible,
    actions: actions.length > 0 ? actions : ["save", "delete"],
  };
}

function pathOf(value: unknown, id: string, taken: Set<string>, pointer: string, unmet: Unmet[]): string {
  const isUsable =
    typeof value === "string" &&
    /^\/(?:[\w-]+(?:\/[\w-]+)*)?$/.test(value) &&
    !reserved.test(value) &&
    !taken.has(value);
  if (value !== undefined && !isUsable) unmet.push({ pointer: `${pointer}/path`, reason: `The screen is at /${id}.` });
  let path = isUsable ? (value as string) : taken.size === 0 ? "/" : `/${id}`;
  while (taken.has(path) || reserved.test(path)) path = `${path}-`;
  taken.add(path);
  return path;
}

const reserved = /^\/(?:app|icons|health|server)(?:\/|$)/;

function defaultScreens(entities: readonly Entity[], ids: SafeNames, paths: Set<string>): readonly Screen[] {
  return entities.flatMap((entity) => {
    const list = ids.take(`${entity.name}-list`);
    const form = ids.take(`${entity.name}-form`);
    const place = (id: string) => pathOf(undefined, id, paths, "", []);
    const base = { of: entity.name, title: entity.name.replaceAll("_", " ") };
    return [
      {
        ...{ ...base, id: list, path: place(list), kind: "list" as const, where: {}, orderBy: entity.titleField },
        ...{ row: { title: entity.titleField, detail: null }, tap: { opens: form }, empty: "Nothing here yet." },
        ...{ swipeLeft: null, swipeRight: null },
      },
      formScreen({ ...base, id: form, path: place(form) }, {}, entity),
    ];
  });
}

/** Reads the screens in the navigation, and the one that adds a record. */
export function readNavigation(document: CompleteSpec, screens: readonly Screen[], unmet: Unmet[]) {
  const navigation = fieldsOf(fieldsOf(document)["navigation"]);
  if (navigation["kind"] !== undefined && navigation["kind"] !== "tabs")
    unmet.push({ pointer: "/navigation/kind", reason: "One goes from screen to screen by tabs." });
  const named = textsOf(navigation["tabs"]).flatMap((id) => screens.find((screen) => screen.id === id) ?? []);
  const tabs = named.length > 0 ? named : screens.filter(({ kind }) => kind === "list");
  const add = screens.find(({ id, kind }) => kind === "form" && id === navigation["add_button"]);
  return { tabs, add: add ?? screens.find(({ kind }) => kind === "form") };
}
