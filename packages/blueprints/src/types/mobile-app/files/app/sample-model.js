/** A small app in which everything occurs, for trying it out. */
export const sampleModel = {
  id: "sample",
  name: "Sample",
  entities: [
    {
      name: "task",
      fields: [
        field("name", "string", { required: true, maxLength: 10 }),
        field("place", "enum", { values: ["home", "work"], initial: "home" }),
        field("every", "integer", { min: 1, max: 9, initial: 2 }),
        field("weight", "number"),
        field("done", "boolean", { initial: false }),
        field("last", "date", { initial: "today" }),
        field("later", "date"),
        field("notes", "text", { maxLength: 20 }),
      ],
      derived: [
        { name: "next", from: "last", plusDays: "every", conditions: null },
        {
          name: "due",
          from: null,
          plusDays: null,
          conditions: [
            { field: "next", atMost: "today", atLeast: null, equals: null, orEmpty: false },
            { field: "later", atMost: "today", atLeast: null, equals: null, orEmpty: true },
          ],
        },
      ],
      seed: [
        { name: "Sweep", last: { days_ago: 3 } },
        { name: "Cook", every: 5, last: { days_ago: 1 }, later: { days_from_now: 1 } },
      ],
    },
  ],
  screens: [
    {
      ...{ id: "due", path: "/", title: "Due", kind: "list", of: "task", where: { due: true }, orderBy: "next" },
      ...{ row: { title: "name", detail: "place" }, tap: { label: "Done", sets: { last: "today" } }, empty: "Nothing." },
      ...{ swipeLeft: { label: "Later", sets: { later: "tomorrow" } }, swipeRight: null },
    },
    {
      ...{ id: "all", path: "/all", title: "All", kind: "list", of: "task", where: {}, orderBy: "name" },
      ...{ row: { title: "name", detail: null }, tap: { opens: "task" }, empty: "None.", swipeLeft: null, swipeRight: null },
    },
    {
      ...{ id: "task", path: "/task", title: "Task", kind: "form", of: "task", actions: ["save", "delete"] },
      fields: ["name", "place", "every", "weight", "done", "last", "notes"],
    },
  ],
};

function field(name, type, more = {}) {
  const none = { required: false, maxLength: null, min: null, max: null, values: null, initial: null };
  return { name, type, label: name, ...none, ...more };
}
