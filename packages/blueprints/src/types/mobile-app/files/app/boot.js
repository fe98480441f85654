import { dayOf, resolve } from "./dates.js";
import { blank, check } from "./records.js";
import { openStore } from "./store.js";
import { viewOf } from "./views.js";

const swipePx = 60;

/** Runs the app on a page. What it needs of the browser comes in as `window`; `now` is the clock. */
export function boot(window, model, now = () => new Date()) {
  const { document, history, location } = window;
  const main = document.getElementById("app");
  const today = () => dayOf(now());
  const store = openStore(model, window.localStorage, today());
  const entityOf = (screen) => model.entities.find(({ name }) => name === screen.of);
  let touched;

  const here = () => {
    const screen = model.screens.find(({ path }) => path === location.pathname) ?? model.screens[0];
    const id = Number(new URLSearchParams(location.search).get("id"));
    const record = screen.kind === "form" ? (store.find(screen.of, id) ?? blank(entityOf(screen), today())) : undefined;
    return { screen, record };
  };
  const show = (more = {}) => {
    const { screen, record } = here();
    document.title = `${screen.title} · ${model.name}`;
    document.getElementById("heading").textContent = screen.title;
    main.innerHTML = viewOf(model, screen, { store, today: today(), record, ...more });
    for (const link of document.querySelectorAll("nav a")) {
      if (link.getAttribute("href") === screen.path) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  };
  const go = (path) => {
    history.pushState(null, "", path);
    show();
  };
  const home = () => go(model.screens.find(({ kind }) => kind === "list")?.path ?? model.screens[0].path);

  /** Does what a row offers for a tap or a swipe; nothing if it offers nothing. */
  const act = (action, id) => {
    const { screen } = here();
    const record = store.find(screen.of, id);
    if (record === undefined || !screen[action]?.sets) return;
    const values = Object.entries(screen[action].sets).map(([name, value]) => [name, resolve(value, today())]);
    store.put(screen.of, { ...record, ...Object.fromEntries(values) });
    show();
  };

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-link]");
    if (link !== null && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      go(link.getAttribute("href"));
      return;
    }
    const button = event.target.closest("[data-action]");
    if (button === null) return;
    if (button.dataset.action !== "delete") return act(button.dataset.action, Number(button.dataset.id));
    const { screen, record } = here();
    store.remove(screen.of, record.id);
    home();
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const { screen, record } = here();
    const entity = entityOf(screen);
    // A box that is not ticked is not sent at all.
    const unticked = entity.fields.filter(({ name, type }) => type === "boolean" && screen.fields.includes(name));
    const entered = { ...Object.fromEntries(unticked.map(({ name }) => [name, false])), ...window.readForm(event.target) };
    const { record: changed, errors } = check(entity, entered, record);
    if (Object.keys(errors).length > 0) return show({ entered, errors });
    store.put(screen.of, changed);
    home();
  });

  document.addEventListener("pointerdown", (event) => {
    touched = { x: event.clientX, row: event.target.closest("[data-row]") };
  });
  document.addEventListener("pointerup", (event) => {
    const moved = event.clientX - (touched?.x ?? event.clientX);
    const row = touched?.row ?? null;
    touched = undefined;
    if (row !== null && Math.abs(moved) >= swipePx) act(moved < 0 ? "swipeLeft" : "swipeRight", Number(row.dataset.row));
  });
  window.addEventListener("popstate", () => show());
  // Who opens the app again on another day sees that day.
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden && here().screen.kind === "list") show();
  });
  window.navigator.serviceWorker?.register("/sw.js");
  show();
}
