/** A small app in which everything occurs, for trying it out. */
export const sampleModel = {
  id: "sample",
  name: "Sample",
  entities: [
    entity("task", {
      fields: [
        field("name", "string", { required: true, maxLength: 10 }),
        field("place", "enum", { values: ["home", "work"], initial: "home" }),
        field("every", "integer", { min: 1, max: 9, initial: 2 }),
        field("weight", "number", { decimals: 1 }),
        field("done", "boolean", { initial: false }),
        field("last", "date", { initial: "today", max: "today" }),
        field("later", "date"),
        field("notes", "text", { maxLength: 20, hint: "What to think of." }),
      ],
      computed: [
        { name: "next", label: "next", type: "date", formula: ["+", ["field", "last"], ["field", "every"]] },
        {
          name: "due",
          label: "due",
          type: "boolean",
          formula: ["and", ["<=", ["field", "next"], ["today"]], ["or", ["empty", ["field", "later"]], ["<=", ["field", "later"], ["today"]]]],
        },
        { name: "streak", label: "streak", type: "number", formula: ["streak", "check", "task_id", "day", null] },
      ],
      seed: [
        { id: 1, name: "Sweep", last: { days_ago: 3 } },
        { id: 2, name: "Cook", every: 5, last: { days_ago: 1 }, later: { days_from_now: 1 } },
      ],
    }),
    entity("check", {
      fields: [
        field("task_id", "reference", { required: true, to: "task", onDelete: "cascade" }),
        field("day", "date", { required: true, initial: "today" }),
      ],
      titleField: "day",
      rules: [{ field: "day", message: "is there already", unique: ["task_id", "day"] }],
      seed: [{ id: 1, task_id: 2, day: { days_ago: 1 } }],
    }),
    entity("tool", { fields: [field("name", "string", { required: true }), field("for_id", "reference", { to: "task", onDelete: "restrict" })], seed: [{ id: 1, name: "Pan", for_id: 2 }] }),
  ],
  screens: [
    {
      ...{ id: "due", path: "/", title: "Due", kind: "list", of: "task", where: ["field", "due"], orderBy: "next", empty: "Nothing." },
      ...{ row: { title: "name", detail: ["place"] }, tap: { label: "Done", sets: { last: "today" } } },
      ...{ swipeLeft: { label: "Later", sets: { later: "tomorrow" } } },
    },
    {
      ...{ id: "all", path: "/all", title: "All", kind: "list", of: "task", orderBy: "-name", empty: "None.", add: "/task" },
      ...{ row: { title: "name", detail: ["next", "streak"] }, tap: { opens: "task" } },
      ...{ swipeRight: { label: "Check", adds: [{ entity: "check", by: "task_id", values: { day: "today" } }] } },
    },
    {
      ...{ id: "task", path: "/task", title: "Task", kind: "form", of: "task", actions: ["save", "delete"] },
      fields: ["name", "place", "every", "weight", "done", "last", "notes"],
    },
    {
      ...{ id: "summary", path: "/summary", title: "Summary", kind: "summary", of: "task" },
      figures: [
        { label: "Best", formula: ["max", "task", null, "streak", null] },
        { label: "Weight", formula: ["average", "task", null, "weight", null] },
      ],
    },
    {
      ...{ id: "tool", path: "/tool", title: "Tool", kind: "form", of: "tool", actions: ["save", "delete"], fields: ["name", "for_id"] },
    },
  ],
};

function entity(name, more) {
  const [{ name: titleField }] = more.fields;
  return { name, titleField, computed: [], rules: [], seed: [], ...more };
}

function field(name, type, more = {}) {
  return { name, type, label: name, ...more };
}
