import type { ResourceModel } from "../api/model.ts";
import type { Action, PageModel } from "./model.ts";
import { isSamePath, placeOf } from "./page-paths.ts";
import { deedPath } from "./read-actions.ts";
import {
  formFields,
  isChosen,
  listColumns,
  referenceTo,
  relatedOf,
  shownFields,
  sortable,
} from "./read-page-fields.ts";
import type { Reading } from "./read-pages.ts";
import { labelled, titleFieldOf } from "./titles.ts";

interface Area {
  /** What their paths begin with. */
  readonly area?: string;
  readonly access?: readonly string[];
  /** The list is the first page of the site. */
  readonly startTitle?: string;
}

/** The usual pages of a resource: a list, a form, a record, and a form to edit it. */
export function defaultPages(reading: Reading, resource: ResourceModel, options: Area): readonly PageModel[] {
  const { area = "", access, startTitle } = options;
  const place = `${area}${placeOf(resource)}`;
  if (place === resource.path) return [];
  const { texts, keys } = reading;
  const label = resource.title.replaceAll("_", " ");
  const source = {
    place,
    area,
    resource,
    titles: {
      one: labelled(label),
      all: startTitle ?? labelled(place.split("/").at(-1)!),
      add: texts.add.replaceAll("{name}", label),
      edit: texts.edit_title.replaceAll("{name}", label),
    },
    base: {
      resource: resource.name,
      title_field: titleFieldOf(keys, resource),
      ...(area !== "" && { area }),
      ...(access !== undefined && { access }),
    },
  };
  if (resource.is_single === true) return [detailPage(reading, source, place), ...editPage(source, `${place}/edit`)];
  return [
    listPage(reading, source, startTitle === undefined ? place : "/"),
    ...addPage(source),
    detailPage(reading, source, `${place}/{id}`),
    ...editPage(source, `${place}/{id}/edit`),
  ];
}

interface Source {
  readonly place: string;
  readonly area: string;
  readonly resource: ResourceModel;
  readonly titles: Readonly<Record<"one" | "all" | "add" | "edit", string>>;
  readonly base: Pick<PageModel, "access" | "area"> & { readonly resource: string; readonly title_field: string };
}

function can({ methods }: ResourceModel, method: string): boolean {
  return methods === undefined || methods.includes(method);
}

function listPage(reading: Reading, { base, area, place, resource, titles }: Source, path: string): PageModel {
  const columns = listColumns(resource);
  return {
    ...base,
    path,
    kind: "list",
    layout: "table",
    title: titles.all,
    columns,
    search: resource.search,
    filters: resource.filters.filter((name) => isChosen(resource.fields[name])),
    sorts: sortable(resource, columns),
    page_size: Math.min(resource.page_size, 50),
    actions: [
      ...(can(resource, "POST") ? [{ label: titles.add, to: `${place}/new` }] : []),
      ...buying(reading, resource, area).map((action) => ({ ...action, is_for_record: true as const })),
    ],
  };
}

/** What can be put into the basket, by visitors: not where records are managed. */
function buying({ basketOf, texts }: Reading, resource: ResourceModel, area: string): readonly Action[] {
  if (basketOf !== resource.name || area !== "") return [];
  return [{ label: texts.add_to_basket, to: deedPath(resource, "add_to_basket"), does: "add_to_basket" }];
}

function addPage({ base, place, resource, titles }: Source): readonly PageModel[] {
  if (!can(resource, "POST")) return [];
  const fields = formFields(resource);
  return [{ ...base, path: `${place}/new`, kind: "form", title: titles.add, layout: "stacked", fields }];
}

function editPage({ base, resource, titles }: Source, path: string): readonly PageModel[] {
  if (!can(resource, "PATCH")) return [];
  return [{ ...base, path, kind: "edit", title: titles.edit, layout: "stacked", fields: formFields(resource) }];
}

function detailPage(reading: Reading, { base, area, resource, titles }: Source, path: string): PageModel {
  const { texts, resources } = reading;
  const referring = resources.filter((other) => referenceTo(other, resource.name) !== undefined);
  const isDeleted = can(resource, "DELETE") && resource.is_single !== true;
  const actions: Action[] = [
    ...buying(reading, resource, area),
    ...(can(resource, "PATCH") ? [{ label: texts.edit, to: `${path}/edit` }] : []),
    ...below(reading, resource, area),
    ...Object.keys(resource.actions).map((does) => ({
      label: labelled(does),
      to: deedPath(resource, does, area),
      does,
    })),
    ...(isDeleted
      ? [{ label: texts.delete, to: deedPath(resource, "delete", area), does: "delete", asks: true as const }]
      : []),
  ];
  return {
    ...base,
    path,
    kind: "detail",
    layout: "stacked",
    title: titles.one,
    fields: shownFields(resource),
    related: relatedOf(
      reading,
      referring.map(({ title }) => title),
      resource,
      "",
    ),
    actions,
  };
}

/** What is below a record is added from its page: it has no path without it. */
function below({ resources, texts }: Reading, { name }: ResourceModel, area: string): readonly Action[] {
  const children = resources.filter((child) => child.parent?.resource === name && can(child, "POST"));
  return children.map((child) => ({
    label: texts.add.replaceAll("{name}", child.title.replaceAll("_", " ")),
    to: `${area}${placeOf(child)}/new`.replace(`{${child.parent!.field}}`, "{id}"),
  }));
}

/** The pages without links to pages that were not made, because not every resource has some. */
export function withoutDeadLinks(pages: readonly PageModel[]): readonly PageModel[] {
  const isThere = ({ to, does }: Action) => does !== undefined || pages.some(({ path }) => isSamePath(path, to));
  return pages.map((page) => ("actions" in page ? { ...page, actions: page.actions.filter(isThere) } : page));
}
