import { detailView, listView, valuesOf } from "./views.js";

/** Runs the window. What it needs of the browser comes in as `window`; resolves when the first list is shown. */
export async function boot(window, model) {
  const { document } = window;
  const place = (id) => document.getElementById(id);
  const entity = model.entities.find(({ name }) => name === model.window.list.of);
  const { fields: shown } = model.window.detail;
  const defaults = Object.fromEntries(entity.fields.map(({ name, initial }) => [name, initial]));
  let records = [];
  let selectedId;

  const ask = (path, method = "GET", body = undefined) =>
    window.fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    });
  const say = (text) => {
    place("status").textContent = text;
  };
  const showDetail = (record, errors) => {
    place("detail").innerHTML = detailView(entity, shown, record, errors);
  };
  const refresh = async () => {
    const words = place("search")?.value ?? "";
    records = await (await ask(`${entity.path}?q=${encodeURIComponent(words)}`)).json();
    place("list").innerHTML = listView(model.window, records, selectedId);
  };
  const select = (id) => {
    selectedId = id;
    showDetail(records.find((record) => record.id === id) ?? defaults);
    place("list").innerHTML = listView(model.window, records, selectedId);
  };
  const save = async (entered) => {
    const values = valuesOf(entity, shown, entered);
    const isNew = selectedId === undefined;
    const response = await ask(isNew ? entity.path : `${entity.path}/${selectedId}`, isNew ? "POST" : "PATCH", values);
    const answer = await response.json();
    if (!response.ok) {
      showDetail({ ...defaults, ...values }, answer.fields);
      return say(answer.error);
    }
    await refresh();
    select(answer.id);
    say("Saved.");
  };

  const actions = {
    create: () => {
      select(undefined);
      document.querySelector("#detail input, #detail textarea")?.focus();
    },
    delete: async ({ confirm }) => {
      if (selectedId === undefined || (confirm && !window.confirm("Delete it?"))) return;
      await ask(`${entity.path}/${selectedId}`, "DELETE");
      await refresh();
      select(undefined);
      say("Deleted.");
    },
    export: ({ format }) => window.location.assign(`${entity.path}.${format === "json" ? "json" : "md"}`),
    focus_search: () => place("search")?.focus(),
    quit: async () => {
      await ask("/api/quit", "POST");
      window.close();
      say("You can close this window now.");
    },
  };
  const items = model.menus.flatMap((menu) => menu.items);
  const act = (item) => Promise.resolve(actions[item.does](item)).catch(() => say("The app does not answer."));

  document.addEventListener("click", (event) => {
    const row = event.target.closest("[data-id]");
    if (row !== null) return select(Number(row.dataset.id));
    const chosen = event.target.closest("[data-item]");
    if (chosen === null) return;
    for (const menu of document.querySelectorAll("details[open]")) menu.removeAttribute("open");
    act(items[Number(chosen.dataset.item)]);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    save(window.readForm(event.target)).catch(() => say("The app does not answer."));
  });
  document.addEventListener("input", (event) => {
    if (event.target === place("search")) refresh().catch(() => say("The app does not answer."));
  });
  document.addEventListener("keydown", (event) => {
    const item = items.find(({ keys }) => keys !== null && isPressed(keys, event));
    if (item === undefined) return;
    event.preventDefault();
    act(item);
  });
  await refresh();
  select(undefined);
}

/** Whether these are the keys of a shortcut, neither more nor less. */
export function isPressed({ key, alt, ctrl, shift }, event) {
  // With Alt some systems type another character: the place of the key says more.
  const isKey = event.key.toLowerCase() === key || event.code === `Key${key.toUpperCase()}`;
  return isKey && event.altKey === alt && (event.ctrlKey || event.metaKey) === ctrl && event.shiftKey === shift;
}
