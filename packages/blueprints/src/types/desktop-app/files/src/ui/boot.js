import { dayOf } from "../records/dates.js";
import { blank, readTexts } from "../records/fields.js";
import { detailView, linesView, listView } from "./views.js";

/** Runs the window. What it needs of the browser comes in as `window`; resolves when the first list is shown. */
export async function boot(window, model) {
  const { document } = window;
  const place = (id) => document.getElementById(id);
  const view = model.windows.find(({ id }) => id === document.body.dataset.window) ?? model.windows[0];
  const entityOf = (name) => model.entities.find((entity) => entity.name === name);
  const entity = entityOf(view.list.of);
  const entered = (one, names) => one.fields.filter(({ name }) => names.includes(name));
  const fresh = (one) => blank(one, dayOf(new Date()));
  const choices = new Map();
  let records = [];
  let lines = [];
  let selectedId;

  const ask = (path, method = "GET", body = undefined) =>
    window.fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  const fetched = async (path) => (await ask(path)).json();
  const say = (text) => {
    place("status").textContent = text;
  };
  const choicesOf = ({ to }) => choices.get(to) ?? [];
  const chosen = () => records.find(({ id }) => id === selectedId);
  const showList = () => {
    place("list").innerHTML = listView(view, entity, records, selectedId, choicesOf);
  };
  const showDetail = (record = chosen() ?? fresh(entity), errors = {}, line = {}) => {
    const table = (one, index) => {
      const { record: values = fresh(entityOf(one.of)), errors: wrong = {} } = line[index] ?? {};
      return linesView(entityOf(one.of), one, index, values, wrong, choicesOf);
    };
    place("detail").innerHTML = detailView(entity, view.detail.fields, record, errors, choicesOf) + lines.map(table).join("");
  };
  const refreshChoices = async () => {
    const shown = [entity, ...view.detail.lines.map(({ of }) => entityOf(of))];
    const targets = new Set(shown.flatMap(({ fields }) => fields.flatMap(({ to }) => to ?? [])));
    for (const to of targets) {
      const { path, titleField } = entityOf(to);
      const all = await fetched(`${path}?sort=${titleField}`);
      choices.set(to, all.map((record) => ({ id: record.id, title: String(record[titleField] ?? `#${record.id}`) })));
    }
  };
  const refresh = async () => {
    const words = place("search")?.value ?? "";
    records = await fetched(`${entity.path}?q=${encodeURIComponent(words)}&sort=${view.list.sort}`);
    showList();
  };
  const refreshLines = async () => {
    const tables = selectedId === undefined ? [] : view.detail.lines;
    lines = await Promise.all(
      tables.map(async ({ of, by }) => ({ of, by, records: await fetched(`${entityOf(of).path}?${by}=${selectedId}&sort=id`) })),
    );
  };
  const select = async (id) => {
    selectedId = id;
    await refreshLines();
    showDetail();
    showList();
  };
  const save = async (values) => {
    const isNew = selectedId === undefined;
    const response = await ask(isNew ? entity.path : `${entity.path}/${selectedId}`, isNew ? "POST" : "PATCH", values);
    const answer = await response.json();
    if (!response.ok) {
      showDetail({ ...fresh(entity), ...chosen(), ...values }, answer.fields);
      return say(answer.error);
    }
    await refresh();
    await select(answer.id);
    say("Saved.");
  };
  const saveLine = async (index, id, form) => {
    const { of, by } = lines[index];
    const { path, fields } = entityOf(of);
    const values = { ...readTexts(fields.filter(({ name }) => name !== by), form), [by]: selectedId };
    const response = await ask(id === undefined ? path : `${path}/${id}`, id === undefined ? "POST" : "PATCH", values);
    const answer = await response.json();
    if (!response.ok) {
      showDetail(undefined, {}, { [index]: { record: { ...values, id }, errors: answer.fields } });
      return say(answer.error);
    }
    await refresh();
    await select(selectedId);
    say("Saved.");
  };
  const remove = async (path) => {
    const response = await ask(path, "DELETE");
    if (!response.ok) say((await response.json()).error);
    return response.ok;
  };

  const actions = {
    create: async ({ of }) => {
      const other = model.windows.find(({ list }) => list.of === of);
      if (of !== undefined && of !== entity.name && other !== undefined) return window.location.assign(`${other.path}#new`);
      await select(undefined);
      document.querySelector("#detail input, #detail textarea, #detail select")?.focus();
    },
    delete: async ({ confirm, of = entity.name }) => {
      if (selectedId === undefined || of !== entity.name || (confirm && !window.confirm("Delete it?"))) return;
      if (!(await remove(`${entity.path}/${selectedId}`))) return;
      await refresh();
      await select(undefined);
      say("Deleted.");
    },
    export: ({ of, format }) => window.location.assign(`${entityOf(of).path}.${format === "markdown" ? "md" : format}`),
    import: async ({ of }) => {
      const file = await window.pickFile(model.imports.map((format) => `.${format}`));
      if (file === undefined) return;
      const format = model.imports.find((one) => file.name.toLowerCase().endsWith(`.${one}`));
      if (format === undefined) return say(`Only ${model.imports.join(" and ")} files can be read.`);
      const response = await window.fetch(`${entityOf(of).path}.${format}`, { method: "POST", body: file.text });
      const answer = await response.json();
      if (!response.ok) return say(problemText(answer));
      await refreshChoices();
      await refresh();
      await select(undefined);
      say(`${answer.added} added, ${answer.changed} changed.`);
    },
    print: () => window.print(),
    focus_search: () => place("search")?.focus(),
    open_window: (item) => {
      const { path, id, width, height } = model.windows.find((one) => one.id === item.window);
      window.open(path, id, `popup,width=${width},height=${height}`);
    },
    quit: async () => {
      await ask("/api/quit", "POST");
      window.close();
      say("You can close this window now.");
    },
  };
  const items = model.menus.flatMap((menu) => menu.items);
  const load = async () => {
    await refreshChoices();
    await refresh();
    await select(undefined);
  };
  const loaded = load();
  // Whoever is quicker than the first list is not undone by it.
  const attempt = (work) => loaded.then(work).catch(() => say("The app does not answer."));
  const act = (item) => attempt(() => actions[item.does](item));
  const closeMenus = () => {
    for (const menu of document.querySelectorAll("details[open]")) menu.removeAttribute("open");
  };
  const doToLine = async (does, index, id) => {
    const record = lines[index].records.find((one) => one.id === id);
    if (does === "edit") return showDetail(undefined, {}, { [index]: { record, errors: {} } });
    if (!(await remove(`${entityOf(lines[index].of).path}/${id}`))) return;
    await refresh();
    await select(selectedId);
    say("Deleted.");
  };

  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-id]");
    if (row !== null) return attempt(() => select(Number(row.dataset.id)));
    const line = event.target.closest("[data-line]");
    if (line !== null) return attempt(() => doToLine(line.dataset.does, Number(line.dataset.table), Number(line.dataset.line)));
    if (event.target.closest("details") === null) closeMenus();
    const picked = event.target.closest("[data-item]");
    if (picked === null) return;
    closeMenus();
    act(items[Number(picked.dataset.item)]);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const { table, record } = event.target.dataset;
    const form = window.readForm(event.target);
    if (table === undefined) attempt(() => save(readTexts(entered(entity, view.detail.fields), form)));
    else attempt(() => saveLine(Number(table), record === "" ? undefined : Number(record), form));
  });
  document.addEventListener("input", (event) => {
    if (event.target === place("search")) attempt(refresh);
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return closeMenus();
    const item = items.find(({ keys }) => keys !== undefined && isPressed(keys, event));
    if (item === undefined) return;
    event.preventDefault();
    act(item);
  });
  await loaded;
  if (window.location.hash === "#new") await actions.create({});
}

/** What was wrong with a file, in one line. */
function problemText({ error, rows = [] }) {
  const [first] = rows;
  if (first === undefined) return error;
  const fields = Object.entries(first.fields).map(([name, problem]) => `${name} ${problem}`);
  return `${error} Row ${first.row}: ${fields.join(", ")}.`;
}

/** Whether these are the keys of a shortcut, neither more nor less. */
export function isPressed({ key, alt, ctrl, shift }, event) {
  // With Alt some systems type another character: the place of the key says more.
  const isKey = event.key.toLowerCase() === key || event.code === `Key${key.toUpperCase()}`;
  return isKey && event.altKey === alt && (event.ctrlKey || event.metaKey) === ctrl && event.shiftKey === shift;
}
