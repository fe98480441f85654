import type { TypeKeys } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";
import type { ResourceModel } from "../api/model.ts";
import type { PageModel } from "./model.ts";
import { idNames, namedIds, parameterCount, placeOf } from "./page-paths.ts";
import { type Roles, readAccess } from "./read-access-words.ts";
import { readActions } from "./read-actions.ts";
import {
  formFields,
  isChosen,
  listColumns,
  readFieldNames,
  readFormFields,
  readImage,
  relatedOf,
  shownFields,
  sortable,
} from "./read-page-fields.ts";
import type { readTexts } from "./read-texts.ts";
import { labelled, resourceNamed, titleFieldOf } from "./titles.ts";

export type Keys = TypeKeys<"web-app">;
export type WrittenPage = NonNullable<Keys["pages"]>[number];

/** What pages are read with. */
export interface Reading {
  readonly keys: Keys;
  readonly resources: readonly ResourceModel[];
  readonly roles: Roles;
  readonly texts: ReturnType<typeof readTexts>;
  /** The resource whose records can be put into the basket. */
  readonly basketOf?: string | undefined;
  readonly unmet: Unmet[];
}

/** Reads the declared pages about texts and records. One that does not fit is left out and reported. */
export function readPages(reading: Reading): readonly PageModel[] {
  const pages = (reading.keys.pages ?? []).flatMap((page, index) => readPage(reading, page, `/pages/${index}`));
  return withoutTwins(pages, reading.unmet);
}

function readPage(reading: Reading, page: WrittenPage, pointer: string): readonly PageModel[] {
  const kind = kindOf(page);
  // Those of accounts and of the basket are read with what they are about.
  if (kind === "login" || kind === "sign_up" || kind === "basket" || kind === "checkout") return [];
  if (kind === "text") return [textPage(reading, page, pointer)];
  const resource = page.of === undefined ? undefined : resourceNamed(reading.resources, page.of);
  if (resource !== undefined) return recordPages(reading, { page, kind, resource, pointer });
  const reason =
    page.of === undefined
      ? "Say 'of' which resource of 'data_model' it is."
      : `There is no '${page.of}' in 'data_model'.`;
  reading.unmet.push({ pointer: page.of === undefined ? pointer : `${pointer}/of`, reason });
  return [];
}

function kindOf({ kind, of, path }: WrittenPage) {
  if (kind !== undefined) return kind;
  if (of === undefined) return "text";
  return path.endsWith("}") ? "detail" : "list";
}

function textPage(reading: Reading, page: WrittenPage, pointer: string): PageModel {
  const { path, title, text = [] } = page;
  return {
    path,
    kind: "text",
    title: title ?? labelled(path.split("/").at(-1) || "Welcome"),
    ...introOf(page),
    ...readAccess(reading, page.access, `${pointer}/access`),
    texts: [text].flat(),
    actions: readActions(reading, { written: page.actions, pointer: `${pointer}/actions` }),
  };
}

interface RecordPageSource {
  readonly page: WrittenPage;
  readonly kind: "list" | "detail" | "form";
  readonly resource: ResourceModel;
  readonly pointer: string;
}

function recordPages(
  reading: Reading,
  { page, kind: written, resource, pointer }: RecordPageSource,
): readonly PageModel[] {
  const { unmet } = reading;
  const count = parameterCount(page.path);
  const above = parameterCount(resource.path);
  const isSingle = resource.is_single === true;
  if (isSingle && written === "list") {
    unmet.push({ pointer: `${pointer}/kind`, reason: "There is one record and no list: show it as a 'detail'." });
    return [];
  }
  const ofRecord = isSingle ? above : above + 1;
  const kind = written === "form" && count === ofRecord ? "edit" : written;
  const ids = kind === "detail" || kind === "edit" ? ofRecord : above;
  if (count !== ids) {
    const reason = `A page of this kind has ${ids} ids in its path, such as {id}; this one has ${count}.`;
    unmet.push({ pointer: `${pointer}/path`, reason });
    return [];
  }
  const names = idNames(resource);
  const path = namedIds(page.path, names);
  const base = {
    path,
    resource: resource.name,
    title_field: titleFieldOf(reading.keys, resource),
    title:
      page.title ??
      labelled(kind === "list" ? (placeOf(resource).split("/").at(-1) ?? resource.title) : resource.title),
    ...introOf(page),
    ...readAccess(reading, page.access, `${pointer}/access`),
  };
  const actions = () =>
    readActions(reading, { written: page.actions, about: { resource, kind }, pointer: `${pointer}/actions` });
  switch (kind) {
    case "list": {
      const listed = listPage(reading, page, resource, pointer);
      return [{ ...base, ...listed, actions: actions() }];
    }
    case "detail":
      return [
        {
          ...base,
          kind,
          layout: fieldLayout(reading, page, pointer),
          fields: readFieldNames(reading, page.fields, resource, `${pointer}/fields`) ?? shownFields(resource),
          ...readImage(reading, page.image, resource, `${pointer}/image`),
          related: relatedOf(reading, page.related ?? [], resource, `${pointer}/related`),
          actions: actions(),
        },
      ];
    default:
      return [
        {
          ...base,
          kind,
          layout: fieldLayout(reading, page, pointer),
          fields: readFormFields(reading, page.fields, resource, `${pointer}/fields`) ?? formFields(resource),
          ...(page.submit !== undefined && { submit: page.submit }),
          ...(page.next !== undefined && { next: namedIds(page.next, names) }),
        },
      ];
  }
}

function listPage(reading: Reading, page: WrittenPage, resource: ResourceModel, pointer: string) {
  const names = (key: "columns" | "search" | "filters") =>
    readFieldNames(reading, page[key], resource, `${pointer}/${key}`);
  const columns = names("columns") ?? listColumns(resource);
  const where = readWhere(reading, page.where, resource, `${pointer}/where`);
  return {
    kind: "list",
    layout: listLayout(reading, page, pointer),
    columns: columns.length > 0 ? columns : listColumns(resource),
    ...readImage(reading, page.image, resource, `${pointer}/image`),
    search: names("search") ?? resource.search,
    filters: names("filters") ?? resource.filters.filter((name) => isChosen(resource.fields[name])),
    sorts: sortable(resource, columns),
    ...(Object.keys(where).length > 0 && { where }),
    ...readSort(reading, page.sort, resource, `${pointer}/sort`),
    page_size: page.page_size ?? Math.min(resource.page_size, 50),
    ...(page.empty !== undefined && { empty: page.empty }),
  } as const;
}

function readWhere({ unmet }: Reading, written: WrittenPage["where"], { fields }: ResourceModel, pointer: string) {
  const known = Object.entries(written ?? {}).filter(([name, value]) => {
    const isPlain = ["string", "number", "boolean"].includes(typeof value);
    const isKnown = Object.hasOwn(fields, name);
    if (!isKnown) unmet.push({ pointer: `${pointer}/${name}`, reason: `There is no field '${name}'.` });
    else if (!isPlain)
      unmet.push({ pointer: `${pointer}/${name}`, reason: "It must be one text, number, true or false." });
    return isKnown && isPlain;
  });
  return Object.fromEntries(known);
}

function readSort({ unmet }: Reading, sort: string | undefined, { fields }: ResourceModel, pointer: string) {
  if (sort === undefined) return {};
  const name = sort.replace(/^-/, "");
  if (Object.hasOwn(fields, name) || ["id", "created_at", "updated_at"].includes(name)) return { sort };
  unmet.push({ pointer, reason: `There is no field '${name}'.` });
  return {};
}

function listLayout({ unmet }: Reading, { layout = "table" }: WrittenPage, pointer: string) {
  if (layout === "table" || layout === "cards") return layout;
  unmet.push({ pointer: `${pointer}/layout`, reason: "A list is laid out as 'table' or 'cards'." });
  return "table";
}

/** How the fields of a record or of a form are laid out. */
export function fieldLayout({ unmet }: Pick<Reading, "unmet">, { layout = "stacked" }: WrittenPage, pointer: string) {
  if (layout === "stacked" || layout === "columns") return layout;
  unmet.push({ pointer: `${pointer}/layout`, reason: "Its fields are laid out as 'stacked' or 'columns'." });
  return "stacked";
}

export function introOf({ intro }: WrittenPage): { readonly intro?: string } {
  return intro === undefined ? {} : { intro };
}

/** Of two pages at one path only the first can be seen. */
function withoutTwins(pages: readonly PageModel[], unmet: Unmet[]): readonly PageModel[] {
  const taken = new Set<string>();
  return pages.filter(({ path }) => {
    const key = path.replace(/\{\w+\}/g, "{}");
    if (taken.has(key))
      unmet.push({ pointer: "/pages", reason: `There are two pages at ${path}: only the first is built.` });
    return !taken.has(key) && taken.add(key);
  });
}
