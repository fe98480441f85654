import type { CompleteSpec } from "@slipway/spec";
import { lastWord } from "../api/path-shape.ts";
import type { FoundResource } from "../api/read-resources.ts";
import type { PageModel } from "./model.ts";
import { labelled, titleFieldOf } from "./read-pages.ts";

/** The pages of a resource for which the document declares none: a list, a form, a record, and a form to edit it. */
export function defaultPages(
  document: CompleteSpec,
  { model, shape }: FoundResource,
  isFirst: boolean,
): readonly PageModel[] {
  // What belongs to something else has no address without it.
  if (model.parent !== undefined || model.only !== undefined || model.is_single === true) return [];
  const place = `/${encodeURIComponent(lastWord(shape) ?? model.name)}`;
  if (place === model.path) return [];
  const fields = Object.keys(model.fields);
  const shown = fields.filter((name) => model.fields[name]!.type !== "password");
  const base = { resource: model.name, title_field: titleFieldOf(document, model.title, fields) };
  const label = model.title.replaceAll("_", " ");
  return [
    {
      ...base,
      path: isFirst ? "/" : place,
      kind: "list",
      title: isFirst ? document.name : labelled(lastWord(shape) ?? label),
      columns: shown.slice(0, 5),
      search: model.search,
      filters: model.filters.filter((name) => model.fields[name]?.type === "enum"),
      empty: "There is nothing here yet.",
      actions: [{ label: `Add a ${label}`, to: `${place}/new` }],
    },
    { ...base, path: `${place}/new`, kind: "form", title: `Add a ${label}`, fields, submit: "Save" },
    {
      ...base,
      path: `${place}/{id}`,
      kind: "detail",
      title: labelled(label),
      fields: shown,
      actions: [
        { label: "Edit", to: `${place}/{id}/edit` },
        { label: "Delete", to: `${place}/{id}/delete`, does: "delete" },
      ],
    },
    { ...base, path: `${place}/{id}/edit`, kind: "edit", title: `Edit a ${label}`, fields, submit: "Save" },
    { ...base, path: `${place}/{id}/delete`, kind: "delete", title: "Delete" },
  ];
}
