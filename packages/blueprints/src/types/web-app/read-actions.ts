import type { ResourceModel } from "../api/model.ts";
import type { Action, PageModel } from "./model.ts";
import { idNames, namedIds, parameterCount, placeOf } from "./page-paths.ts";
import { readAccess } from "./read-access-words.ts";
import type { Reading, WrittenPage } from "./read-pages.ts";

interface ActionSource {
  readonly written: WrittenPage["actions"];
  readonly pointer: string;
  /** What the page that they are on is about, and what kind of page it is. */
  readonly about?: { readonly resource: ResourceModel; readonly kind: PageModel["kind"] };
}

/** Reads the buttons of a page. One that does what nobody knows is left out and reported. */
export function readActions(reading: Reading, { written = [], pointer: list, about }: ActionSource): readonly Action[] {
  return written.flatMap((action, index): readonly Action[] => {
    const pointer = `${list}/${index}`;
    const { label, to, does } = action;
    const base = { label, ...readAccess(reading, action.access, `${pointer}/access`) };
    if (does !== undefined) {
      const reason = unknownDeed(reading, does, about);
      if (reason !== undefined) reading.unmet.push({ pointer: `${pointer}/does`, reason });
      return about === undefined || reason !== undefined
        ? []
        : [{ ...base, ...deed(about, does, action.confirm === true) }];
    }
    if (to !== undefined && !to.startsWith("//")) return [{ ...base, ...link(about, to) }];
    const reason =
      to === undefined
        ? "Say where it leads with 'to', or what it does with 'does'."
        : "It would lead to another site.";
    reading.unmet.push({ pointer, reason });
    return [];
  });
}

function link(about: ActionSource["about"], to: string): Pick<Action, "to" | "is_for_record"> {
  if (about === undefined) return { to };
  const { resource, kind } = about;
  const isForRecord = kind === "list" && parameterCount(to) > parameterCount(resource.path);
  return { to: namedIds(to, idNames(resource)), ...(isForRecord && { is_for_record: true }) };
}

function deed({ resource, kind }: NonNullable<ActionSource["about"]>, does: string, confirm: boolean) {
  return {
    to: deedPath(resource, does),
    does,
    ...((confirm || does === "delete") && { asks: true as const }),
    ...(kind === "list" && { is_for_record: true as const }),
  };
}

/** Where something is done to a record; `area` is what the pages begin with that it belongs to. */
export function deedPath(resource: ResourceModel, does: string, area = ""): string {
  return `${area}${placeOf(resource)}/{id}/${does.replaceAll("_", "-")}`;
}

function unknownDeed({ basketOf }: Reading, does: string, about: ActionSource["about"]): string | undefined {
  if (about === undefined || !["list", "detail"].includes(about.kind))
    return "Only lists and records have something that this could be done to.";
  const { actions, title, name } = about.resource;
  if (does === "delete") return about.resource.is_single === true ? "What there is one of is not deleted." : undefined;
  if (does === "add_to_basket") return basketOf === name ? undefined : "There is no 'basket' for this resource.";
  if (Object.hasOwn(actions, does)) return undefined;
  return `'${title}' has no action '${does}': declare it under its 'actions' in 'data_model'.`;
}

/** The pages behind buttons: they ask first, and do it. */
export function deedPages(pages: readonly PageModel[]): readonly PageModel[] {
  const found = new Map<string, PageModel>();
  for (const page of pages) {
    if (!("resource" in page) || !("actions" in page)) continue;
    const { resource, title_field, area, access } = page;
    for (const action of page.actions) {
      if (action.does === undefined || action.does === "add_to_basket" || found.has(action.to)) continue;
      const who = action.access ?? access;
      const base = {
        path: action.to,
        title: action.label,
        resource,
        title_field,
        ...(area !== undefined && { area }),
        ...(who !== undefined && { access: who }),
      };
      const does =
        action.does === "delete" ? { kind: "delete" as const } : { kind: "act" as const, action: action.does };
      found.set(action.to, { ...base, ...does });
    }
  }
  return [...found.values()];
}
