/** What the app loads is kept for when there is no signal, under a name of its own. */
function precache({ after, read, write }, path) {
  after("sw.js", '  "/app/main.js",\n', `  "${path}",\n`);
  const worker = read("sw.js");
  if (!worker.includes('-finished"')) write("sw.js", worker.replace(/^const cacheName = "([^"]*)"/m, 'const cacheName = "$1-finished"'));
}

const swipes = ({ add, after, replace }) => {
  add("test/unit/swipe.test.js");
  after("app/model.js", /^ {6}swipeLeft: .*\n/m, '      swipeRight: { label: "Edit", opens: "habit" },\n');
  replace(
    "app/boot.js",
    "    const { sets = {}, adds = [], label = undefined } = screen[action] ?? {};\n    if (record === undefined || label === undefined) return;\n",
    [
      "    const { sets = {}, adds = [], label = undefined, opens = undefined } = screen[action] ?? {};",
      "    if (record === undefined || label === undefined) return;",
      "    if (opens !== undefined) return go(`${model.screens.find((one) => one.id === opens).path}?id=${id}`);\n",
    ].join("\n"),
  );
  replace(
    "app/views.js",
    '    if (offered === undefined || offered.opens !== undefined) return "";\n    const name = `${offered.label}: ${title}`;\n',
    [
      '    if (offered === undefined || (action === "tap" && offered.opens !== undefined)) return "";',
      "    const name = `${offered.label}: ${title}`;",
      "    const target = model.screens.find(({ id }) => id === offered.opens);",
      "    if (target !== undefined)",
      '      return `<a class="${kind}" data-link href="${escape(target.path)}?id=${record.id}" aria-label="${escape(name)}">${escape(offered.label)}</a>`;\n',
    ].join("\n"),
  );
};

export default {
  "/screens/0/swipe_right/opens": swipes,
  "/screens/0/swipe_right/label": swipes,
  "/notifications": (project) => {
    const { add, after } = project;
    add("app/reminders.js", "test/unit/reminders.test.js");
    precache(project, "/app/reminders.js");
    after("app/main.js", 'import { model } from "./model.js";\n', [
      'import { withComputed } from "./records/compute.js";',
      'import { dayOf } from "./records/dates.js";',
      'import { addReminders } from "./reminders.js";',
      'import { openStore } from "./store.js";\n',
    ].join("\n"));
    after("app/main.js", "boot(window, model);\n", [
      "addReminders(window, {",
      '  at: "20:00",',
      "  title: model.name,",
      "  habits: () => {",
      "    const today = dayOf(new Date());",
      "    const { all } = openStore(model, window.localStorage, today);",
      '    const habit = model.entities.find(({ name }) => name === "habit");',
      '    return all("habit").map((record) => withComputed(habit, record, { model, today, all }));',
      "  },",
      "});\n",
    ].join("\n"));
  },
  "/sync": (project) => {
    const { add, after } = project;
    add("app/copy.js", "test/unit/copy.test.js");
    precache(project, "/app/copy.js");
    after("app/main.js", 'import { boot } from "./boot.js";\n', 'import { addCopies } from "./copy.js";\n');
    after("app/main.js", "boot(window, model);\n", "addCopies(window, { key: `${model.id}:records`, file: `${model.id}.json` });\n");
  },
};
