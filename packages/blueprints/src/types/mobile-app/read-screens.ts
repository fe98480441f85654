import { type Formula, readFormula } from "../../kit/formula.ts";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { pointerPart } from "../../kit/pointer.ts";
import type { Entity, ReadEntities } from "../../kit/read-entities.ts";
import { SafeNames } from "../../kit/safe-name.ts";
import type { Unmet } from "../../plugin.ts";
import { type Action, readAction, readWhere } from "./read-actions.ts";

/** A screen as the document has it. */
export type GivenScreen = NonNullable<DocumentToBuild<"mobile-app">["screens"]>[number];

export interface Screen {
  readonly id: string;
  readonly path: string;
  readonly title: string;
  readonly kind: "list" | "form" | "summary";
  readonly of: string;
  readonly where?: Formula;
  readonly orderBy?: string;
  readonly row?: { readonly title: string; readonly detail: readonly string[] };
  readonly tap?: Action;
  readonly swipeLeft?: Action;
  readonly swipeRight?: Action;
  readonly empty?: string;
  readonly fields?: readonly string[];
  readonly actions?: readonly string[];
  readonly figures?: readonly { readonly label: string; readonly formula: Formula }[];
  /** The path of the form that adds a record from here. */
  readonly add?: string;
}

/** Reads the screens; without a list, one of each entity with its form. */
export function readScreens(
  { screens: given = [] }: DocumentToBuild<"mobile-app">,
  records: ReadEntities,
  unmet: Unmet[],
): readonly Screen[] {
  const { entities } = records;
  const places = new Places();
  const ids = new Map(given.map(({ id, kind }) => [id, kind ?? "list"]));
  const screens = given.flatMap((screen, index) => {
    const pointer = `/screens/${index}`;
    const refuse: Refuse = (place, reason) => unmet.push({ pointer: `${pointer}/${place}`, reason });
    if (screen.kind === "summary") return [summaryOf(screen, places, records, refuse)];
    const entity = entities.find(({ name }) => name === (screen.of ?? entities[0]!.name));
    if (entity === undefined) {
      unmet.push({ pointer, reason: "It shows nothing that is kept." });
      return [];
    }
    const kind = screen.kind ?? "list";
    const id = places.id(screen.id ?? `${entity.name}-${kind}`);
    const base = {
      id,
      path: places.path(screen.path, id, refuse),
      title: screen.title ?? entity.name,
      of: entity.name,
    };
    return [
      kind === "form" ? formOf(base, screen, entity, refuse) : listOf(base, screen, entity, records, ids, refuse),
    ];
  });
  const isListed = screens.some(({ kind }) => kind === "list");
  return withForms(isListed ? screens : [...usualScreens(entities, places), ...screens]);
}

function summaryOf(
  screen: GivenScreen,
  places: Places,
  { entities, wholeScope }: ReadEntities,
  refuse: Refuse,
): Screen {
  const id = places.id(screen.id ?? "summary");
  const figures = Object.entries(screen.figures ?? {}).flatMap(([label, text]) => {
    const read = readFormula(text, wholeScope);
    if (read.problem === undefined) return [{ label, formula: read.formula }];
    refuse(`figures/${pointerPart(label)}`, read.problem);
    return [];
  });
  if (screen.figures === undefined) refuse("kind", "A summary says its 'figures'.");
  const path = places.path(screen.path, id, refuse);
  return { id, path, title: screen.title ?? "Summary", kind: "summary", of: entities[0]!.name, figures };
}

/** Each list with the form of what it lists. */
function withForms(screens: readonly Screen[]): readonly Screen[] {
  return screens.map((screen) => {
    const form = screens.find(({ kind, of }) => kind === "form" && of === screen.of);
    return form === undefined || screen.kind !== "list" ? screen : { ...screen, add: form.path };
  });
}

export type Refuse = (place: string, reason: string) => void;
type Base = Pick<Screen, "id" | "path" | "title" | "of">;

function listOf(
  base: Base,
  screen: GivenScreen,
  entity: Entity,
  records: ReadEntities,
  ids: ReadonlyMap<string | undefined, string>,
  refuse: Refuse,
): Screen {
  const names = [...entity.fields, ...entity.computed].map(({ name }) => name);
  const known = (place: string, wanted: string | readonly string[] | undefined) => {
    const all = wanted === undefined ? [] : typeof wanted === "string" ? [wanted] : wanted.map((name) => name);
    if (all.some((name) => !names.includes(name))) refuse(place, "Not all of these are fields.");
    return all.filter((name) => names.includes(name));
  };
  const where = readWhere(screen.where, entity, records, refuse);
  const order = screen.order_by;
  const isOrder = order !== undefined && names.includes(order.replace(/^-/, ""));
  if (order !== undefined && !isOrder) refuse("order_by", "There is no such field.");
  const action = (key: "tap" | "swipe_left" | "swipe_right") =>
    readAction(screen[key], key, entity, records, ids, refuse);
  const [tap, swipeLeft, swipeRight] = [action("tap"), action("swipe_left"), action("swipe_right")];
  return {
    ...base,
    kind: "list",
    ...(where !== undefined && { where }),
    ...(isOrder && { orderBy: order }),
    row: {
      title: known("row/title", screen.row?.title)[0] ?? entity.titleField,
      detail: known("row/detail", screen.row?.detail),
    },
    ...(tap !== undefined && { tap }),
    ...(swipeLeft !== undefined && { swipeLeft }),
    ...(swipeRight !== undefined && { swipeRight }),
    empty: screen.empty ?? "Nothing here yet.",
  };
}

function formOf(base: Base, screen: GivenScreen, entity: Entity, refuse: Refuse): Screen {
  const names = entity.fields.map(({ name }) => name);
  const wanted = screen.fields?.map((name) => name) ?? [];
  if (wanted.some((name) => !names.includes(name))) refuse("fields", "Not all of these are fields.");
  const shown = wanted.filter((name) => names.includes(name));
  const visible = entity.fields.filter(({ hidden }) => hidden !== true).map(({ name }) => name);
  const actions = screen.actions?.map((action) => action) ?? [];
  return {
    ...base,
    kind: "form",
    fields: shown.length > 0 ? shown : visible,
    actions: actions.length > 0 ? actions : ["save", "delete"],
  };
}

/** Ids and paths, each given once. */
class Places {
  readonly #ids = new SafeNames();
  readonly #paths = new Set<string>();

  id(wanted: string): string {
    return this.#ids.take(wanted);
  }

  path(wanted: string | undefined, id: string, refuse: Refuse): string {
    const isUsable =
      wanted !== undefined &&
      /^\/(?:[\w-]+(?:\/[\w-]+)*)?$/.test(wanted) &&
      !reserved.test(wanted) &&
      !this.#paths.has(wanted);
    let path = isUsable ? wanted : this.#paths.size === 0 ? "/" : `/${id}`;
    while (this.#paths.has(path) || reserved.test(path)) path = `${path}-`;
    if (wanted !== undefined && !isUsable) refuse("path", `The screen is at ${path}.`);
    this.#paths.add(path);
    return path;
  }
}

const reserved = /^\/(?:app|icons|health|server)(?:\/|$)/;

function usualScreens(entities: readonly Entity[], places: Places): readonly Screen[] {
  return entities.flatMap((entity) => {
    const [list, form] = [places.id(`${entity.name}-list`), places.id(`${entity.name}-form`)];
    const base = (id: string) => ({
      ...{ id, path: places.path(undefined, id, () => {}), of: entity.name, title: entity.name.replaceAll("_", " ") },
    });
    const computed = entity.computed.map(({ name }) => name);
    const row = { title: entity.titleField, detail: computed.filter((name) => name !== entity.titleField) };
    return [
      {
        ...base(list),
        kind: "list",
        orderBy: entity.titleField,
        row,
        tap: { opens: form },
        empty: "Nothing here yet.",
      },
      formOf(base(form), {}, entity, () => {}),
    ];
  });
}

export interface Navigation {
  readonly tabs: readonly Screen[];
  readonly add?: Screen;
}

/** Reads the screens in the navigation, and the form that adds a record. */
export function readNavigation(
  { navigation = {} }: DocumentToBuild<"mobile-app">,
  screens: readonly Screen[],
  unmet: Unmet[],
): Navigation {
  const named = (navigation.tabs ?? []).flatMap((id, index) => {
    const screen = screens.find((one) => one.id === id);
    if (screen !== undefined) return [screen];
    unmet.push({ pointer: `/navigation/tabs/${index}`, reason: "There is no such screen." });
    return [];
  });
  const forms = screens.filter(({ kind }) => kind === "form");
  const wanted = navigation.add_button;
  const add = forms.find(({ id }) => id === wanted);
  if (wanted !== undefined && add === undefined)
    unmet.push({ pointer: "/navigation/add_button", reason: "There is no such form." });
  const button = add ?? forms[0];
  return {
    tabs: named.length > 0 ? named : screens.filter(({ kind }) => kind !== "form"),
    ...(button !== undefined && { add: button }),
  };
}
