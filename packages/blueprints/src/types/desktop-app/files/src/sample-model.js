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
    entity("card", {
      fields: [
        field("title", "string", { required: true, maxLength: 20, hint: "What it is about." }),
        field("count", "integer", { min: 1, max: 9 }),
        field("weight", "number", { decimals: 1 }),
        field("kind", "enum", { values: ["a", "b"], initial: "a" }),
        field("day", "date", { min: "2020-01-01" }),
        field("done", "boolean", { initial: false }),
        field("text", "text"),
        field("mail", "email"),
        field("code", "string", { unique: true, pattern: "^[A-Z]+$", minLength: 2 }),
      ],
      search: ["title", "text"],
      filters: ["kind"],
    }),
    entity("customer", { fields: [field("name", "string", { required: true, unique: true })], seed: [{ id: 1, name: "Ada" }, { id: 2, name: "Bo" }] }),
    entity("invoice", {
      fields: [
        field("number", "string", { required: true }),
        field("customer_id", "reference", { required: true, to: "customer", onDelete: "restrict" }),
        field("issued", "date", { initial: "today" }),
        field("due", "date"),
      ],
      computed: [
        { name: "total", label: "Total", type: "number", formula: ["sum", "line", "invoice_id", "amount", null], decimals: 2 },
        { name: "payer", label: "Payer", type: "text", formula: ["of", "customer_id", "name"] },
      ],
      rules: [
        { field: "due", message: "must not be before issued", when: ["not", ["empty", ["field", "due"]]], check: [">=", ["field", "due"], ["field", "issued"]] },
        { field: "number", message: "is there already", unique: ["customer_id", "number"] },
        { field: "number", message: "must have at most three lines", check: ["<=", ["count", "line", "invoice_id", null, null], ["value", 3]] },
      ],
      seed: [{ id: 1, number: "A-1", customer_id: 1, issued: { days_ago: 2 } }],
    }),
    entity("line", {
      fields: [
        field("invoice_id", "reference", { required: true, to: "invoice", onDelete: "cascade" }),
        field("what", "string", { required: true }),
        field("quantity", "number", { required: true, initial: 1 }),
        field("price", "number", { required: true }),
      ],
      titleField: "what",
      computed: [{ name: "amount", label: "Amount", type: "number", formula: ["*", ["field", "quantity"], ["field", "price"]], decimals: 2 }],
      seed: [{ id: 1, invoice_id: 1, what: "Tea", quantity: 3, price: 1.15 }],
    }),
    entity("mark", { fields: [field("name", "string"), field("customer_id", "reference", { to: "customer", onDelete: "set_null" })] }),
  ],
  windows: [
    {
      ...{ id: "card", path: "/", title: "Cards", width: 800, height: 600, minWidth: 320, hasSearch: true, empty: "No cards." },
      list: { of: "card", title: "title", detail: ["text"], sort: "-id" },
      detail: { fields: ["title", "count", "weight", "kind", "day", "done", "text"], lines: [] },
    },
    {
      ...{ id: "invoices", path: "/windows/invoices", title: "Invoices", width: 800, height: 600, minWidth: 320, hasSearch: true, empty: "No invoices." },
      list: { of: "invoice", title: "number", detail: ["customer_id", "total"], sort: "number" },
      detail: { fields: ["number", "customer_id", "due", "total"], lines: [{ of: "line", by: "invoice_id" }] },
    },
  ],
  menus: [
    {
      label: "File",
      items: [
        { label: "New", does: "create", keys: { key: "n", alt: true, ctrl: false, shift: false } },
        { label: "Export", does: "export", of: "card", format: "markdown" },
        { label: "Delete", does: "delete", confirm: true },
        { label: "Find", does: "focus_search", keys: { key: "f", alt: true, ctrl: false, shift: false } },
        { label: "Quit", does: "quit" },
        { label: "Import", does: "import", of: "invoice" },
        { label: "Print", does: "print", keys: { key: "f9", alt: false, ctrl: false, shift: false } },
        { label: "Invoices", does: "open_window", window: "invoices" },
        { label: "New invoice", does: "create", of: "invoice" },
      ],
    },
  ],
  exports: ["csv", "json", "markdown"],
  imports: ["csv", "json"],
};

function entity(name, more) {
  const [{ name: titleField }] = more.fields;
  return { name, file: `${name}s`, path: `/api/${name}s`, titleField, computed: [], rules: [], seed: [], search: [], filters: [], ...more };
}

function field(name, type, more = {}) {
  return { name, type, label: name, ...more };
}
