/** A small app in which everything occurs, for trying it out. */
export const sampleModel = {
  name: "Sample",
  version: "2.0.1",
  command: "sample",
  folder: "dist/sample",
  launchers: { linux: "sample", macos: "sample.command", windows: "sample.cmd" },
  options: [
    { name: "--version", does: "version" },
    { name: "--help", does: "help" },
    { name: "--data", does: "data" },
    { name: "--no-window", does: "no_window" },
  ],
  entities: [
    {
      name: "card",
      file: "cards",
      path: "/api/cards",
      titleField: "title",
      fields: [
        field("title", "string", { required: true, maxLength: 20 }),
        field("count", "integer", { min: 1, max: 9 }),
        field("weight", "number"),
        field("kind", "enum", { values: ["a", "b"], initial: "a" }),
        field("day", "date"),
        field("done", "boolean", { initial: false }),
        field("text", "text"),
      ],
      search: ["title", "text"],
      filters: ["kind"],
    },
  ],
  window: {
    width: 800,
    height: 600,
    empty: "No cards.",
    list: { of: "card", title: "title", detail: "text" },
    detail: { fields: ["title", "count", "weight", "kind", "day", "done", "text"] },
  },
  menus: [
    {
      label: "File",
      items: [
        { label: "New", does: "create", keys: { key: "n", alt: true, ctrl: false, shift: false } },
        { label: "Export", does: "export", format: "markdown", keys: null },
        { label: "Delete", does: "delete", confirm: true, keys: null },
        { label: "Find", does: "focus_search", keys: { key: "f", alt: true, ctrl: false, shift: false } },
        { label: "Quit", does: "quit", keys: null },
      ],
    },
  ],
};

function field(name, type, more = {}) {
  return { name, type, label: name, required: false, maxLength: null, min: null, max: null, values: null, initial: null, ...more };
}
