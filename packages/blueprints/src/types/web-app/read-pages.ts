import type { CompleteSpec } from "@slipway/spec";
import { fieldsOf, listOf, textOf, textsOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import { isParameter, shapeOf } from "../api/path-shape.ts";
import { authorKey } from "../api/read-data-model.ts";
import type { FoundResource } from "../api/read-resources.ts";
import type { Action, PageModel } from "./model.ts";

export interface ReadPages {
  readonly pages: readonly PageModel[];
  readonly unmet: readonly Unmet[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the declared pages. A page whose resource or path does not fit is left out and reported. */
export function readPages(document: CompleteSpec, resources: readonly FoundResource[]): ReadPages {
  const unmet: Unmet[] = [];
  const pages = listOf(authorKey(document, "pages")).flatMap((written, index) => {
    const pointer = `/pages/${index}`;
    const page = fieldsOf(written);
    const path = textOf(page["path"], "");
    if (!/^\/[^\s?#]*$/.test(path)) {
      unmet.push({ pointer, reason: "It has no path from the root." });
      return [];
    }
    if (page["kind"] === "text" || page["of"] === undefined) return [textPage(page, path)];
    const found = resources.find(({ model }) => model.title === page["of"]);
    if (found === undefined) {
      unmet.push({ pointer, reason: `There is no '${String(page["of"])}' in the data model.` });
      return [];
    }
    return resourcePages(document, page, path, found, pointer, unmet);
  });
  return { pages, unmet };
}

/** The keys of the paths at which a document declares pages. */
export function declaredPageKeys(document: CompleteSpec): ReadonlySet<string> {
  const paths = listOf(authorKey(document, "pages")).map((page) => textOf(fieldsOf(page)["path"], ""));
  return new Set(paths.filter((path) => path.startsWith("/")).map((path) => shapeOf(path).key));
}

function textPage(page: Fields, path: string): PageModel {
  const texts = [...textsOf(page["intro"]), ...textsOf(page["text"]), ...textsOf(page["texts"])];
  return { path, kind: "text", title: textOf(page["title"], path), texts };
}

function resourcePages(
  document: CompleteSpec,
  page: Fields,
  path: string,
  { model, shape }: FoundResource,
  pointer: string,
  unmet: Unmet[],
): readonly PageModel[] {
  const count = shapeOf(path).segments.filter(isParameter).length;
  const above = shape.segments.filter(isParameter).length;
  const kind = page["kind"] === "form" && count === above + 1 ? "edit" : page["kind"];
  const ids = kind === "detail" || kind === "edit" ? above + 1 : above;
  if (!["list", "form", "edit", "detail"].includes(String(kind))) {
    unmet.push({ pointer: `${pointer}/kind`, reason: `Pages of the kind '${String(page["kind"])}' are not known.` });
    return [];
  }
  if (count !== ids) {
    unmet.push({ pointer: `${pointer}/path`, reason: `It would have to name ${ids} ids, and names ${count}.` });
    return [];
  }
  const names = [...[...model.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!), "id"];
  const place = named(path, names);
  const fields = Object.keys(model.fields);
  const known = (key: string, fallback: readonly string[]) => {
    const wanted = textsOf(page[key]);
    for (const name of wanted.filter((word) => !fields.includes(word)))
      unmet.push({ pointer: `${pointer}/${key}`, reason: `There is no field '${name}'.` });
    return page[key] === undefined ? fallback : wanted.filter((word) => fields.includes(word));
  };
  const titleField = titleFieldOf(document, model.title, fields);
  const base = { path: place, resource: model.name, title_field: titleField };
  const intro = typeof page["intro"] === "string" ? { intro: page["intro"] } : {};
  const title = textOf(page["title"], labelled(model.title));
  const visibleFields = fields.filter((name) => model.fields[name]!.type !== "password");
  const { actions, deletes } = readActions(page, place, names, pointer, unmet);
  switch (kind) {
    case "list":
      return [
        {
          ...base,
          kind,
          title,
          ...intro,
          columns: orAll(known("columns", visibleFields.slice(0, 5)), visibleFields),
          search: known("search", model.search),
          filters: known(
            "filters",
            model.filters.filter((name) => model.fields[name]?.type === "enum"),
          ),
          empty: textOf(page["empty"], "There is nothing here yet."),
          actions,
        },
      ];
    case "detail":
      return [
        { ...base, kind, title, fields: known("fields", visibleFields), actions },
        ...deletes.map((label): PageModel => ({ ...base, path: `${place}/delete`, kind: "delete", title: label })),
      ];
    default:
      return [
        {
          ...base,
          kind: kind === "edit" ? "edit" : "form",
          title,
          ...intro,
          fields: orAll(known("fields", fields), fields),
          submit: textOf(page["submit"], "Save"),
        },
      ];
  }
}

function orAll(names: readonly string[], all: readonly string[]): readonly string[] {
  return names.length > 0 ? names : all;
}

function readActions(
  page: Fields,
  place: string,
  names: readonly string[],
  pointer: string,
  unmet: Unmet[],
): { actions: readonly Action[]; deletes: readonly string[] } {
  const deletes: string[] = [];
  const actions = listOf(page["actions"]).flatMap((written, index): readonly Action[] => {
    const { label, to, does } = fieldsOf(written);
    if (does === "delete" && page["kind"] === "detail") {
      deletes.push(textOf(label, "Delete"));
      return [{ label: textOf(label, "Delete"), to: `${place}/delete`, does }];
    }
    if (typeof to === "string" && to.startsWith("/") && !to.startsWith("//"))
      return [{ label: textOf(label, to), to: named(to, names) }];
    unmet.push({
      pointer: `${pointer}/actions/${index}`,
      reason: "What it does is not known: it leads to a path, or deletes.",
    });
    return [];
  });
  return { actions, deletes: deletes.slice(0, 1) };
}

/** The path with the service's names for its ids. */
function named(path: string, names: readonly string[]): string {
  let next = 0;
  return path.replace(/\{[^{}/]+\}|(?<=\/):\w+/g, () => `{${names[next++] ?? "id"}}`);
}

export function titleFieldOf(document: CompleteSpec, title: string, fields: readonly string[]): string {
  const written = fieldsOf(fieldsOf(authorKey(document, "data_model"))[title])["title_field"];
  if (typeof written === "string" && fields.includes(written)) return written;
  return fields.find((name) => /^(name|title|label|subject)$/i.test(name)) ?? fields[0] ?? "id";
}

export function labelled(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
