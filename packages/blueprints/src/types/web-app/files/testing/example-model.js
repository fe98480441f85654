import { exampleModel as service } from "./example-service.js";

const list = { search: [], filters: [], empty: "Nothing yet.", actions: [] };

/** The example of the service, with every kind of page in front of it. */
export const exampleModel = {
  ...service,
  site: {
    title: "Library",
    description: "Shelves and what stands on them.",
    language: "en",
    accent: "#2f6f4f",
    has_manifest: true,
    has_service_worker: true,
    navigation: [
      { label: "Shelves", to: "/" },
      { label: "About", to: "/about" },
    ],
  },
  pages: [
    {
      ...list,
      path: "/",
      kind: "list",
      resource: "shelf",
      title: "Shelves",
      title_field: "name",
      intro: "All of them.",
      columns: ["name"],
      search: ["name"],
      actions: [{ label: "Add a shelf", to: "/new" }],
    },
    {
      path: "/new",
      kind: "form",
      resource: "shelf",
      title: "Add a shelf",
      title_field: "name",
      fields: ["name"],
      submit: "Add",
    },
    {
      path: "/at/{id}",
      kind: "detail",
      resource: "shelf",
      title: "Shelf",
      title_field: "name",
      fields: ["name"],
      actions: [{ label: "Delete", to: "/at/{id}/delete", does: "delete" }],
    },
    {
      path: "/at/{id}/edit",
      kind: "edit",
      resource: "shelf",
      title: "Edit a shelf",
      title_field: "name",
      fields: ["name"],
      submit: "Save",
    },
    { path: "/at/{id}/delete", kind: "delete", resource: "shelf", title: "Delete", title_field: "name" },
    {
      ...list,
      path: "/at/{shelf_id}/all",
      kind: "list",
      resource: "book",
      title: "Books",
      title_field: "title",
      columns: ["title", "state", "pages", "tags"],
      filters: ["state", "tags"],
    },
    {
      path: "/at/{shelf_id}/add",
      kind: "form",
      resource: "book",
      title: "Add a book",
      title_field: "title",
      intro: "Any book.",
      fields: ["title", "pages", "state", "tags"],
      submit: "Add",
    },
    { path: "/about", kind: "text", title: "About", texts: ["What this is."] },
  ],
};
