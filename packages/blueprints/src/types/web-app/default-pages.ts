import type { CompleteSpec } from "@slipway/spec";
import { lastWord } from "../api/path-shape.ts";
import type { FoundResource } from "../api/read-resources.ts";
import type { PageModel } from "./model.ts";
import { labelled, titleFieldOf } from "./read-pages.ts";

/** The default pages of a resource: a list, a form, a record, and a form to edit it. */
export function defaultPages(
  document: CompleteSpec,
  { model, shape }: FoundResource,
  isFirst: boolean,
): readonly PageModel[] {
  // A record of a parent has no path without its parent.
  if (model.parent !== undefined || model.methods !== undefined || model.is_single === true) return [];
  const place = `/${encodeURIComponent(lastWord(shape) ?? model.name)}`;
  if (place === model.path) return [];
  const fields = Object.keys(model.fields);
  const visibleFields = fields.filter((name) => model.fields[name]!.type !== "password");
  const base = { resource: model.name, title_field: titleFieldOf(document, model.title, fields) };
  const label = model.title.replaceAll("_", " ");
  return [
    {
      ...base,
      path: isFirst ? "/" : place,
      kind: "list",
      title: isFirst ? document.name : labelled(lastWord(shape) ?? label),
      columns: visibleFields.slice(0, 5),
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
      fields: visibleFields,
      actions: [
        { label: "Edit", to: `${place}/{id}/edit` },
        { label: "Delete", to: `${place}/{id}/delete`, does: "delete" },
      ],
    },
    { ...base, path: `${place}/{id}/edit`, kind: "edit", title: `Edit a ${label}`, fields, submit: "Save" },
    { ...base, path: `${place}/{id}/delete`, kind: "delete", title: "Delete" },
  ];
}
