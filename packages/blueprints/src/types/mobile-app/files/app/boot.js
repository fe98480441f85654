import { withComputed } from "./records/compute.js";
import { dayOf, resolve } from "./records/dates.js";
import { blank, problemsWith, readTexts } from "./records/fields.js";
import { openStore } from "./store.js";
import { viewOf } from "./views.js";

const swipePx = 60;
/** Long enough to be read, and to be read out. */
const doneMs = 6000;

/** Runs the app on a page. What it needs of the browser comes in as `window`; `now` is the clock. */
export function boot(window, model, now = () => new Date()) {
  const { document, history, location } = window;
  const place = (id) => document.getElementById(id);
  const today = () => dayOf(now());
  let ended;
  const say = (text) => {
    window.clearTimeout(ended);
    place("status").textContent = text;
  };
  /** Says what was done. What went wrong stays until something else is done. */
  const sayDone = (text) => {
    say(text);
    ended = window.setTimeout(() => say(""), doneMs);
  };
  const onLost = () => say("This device keeps nothing: what you enter is lost when the app is closed.");
  const store = openStore(model, window.localStorage, today(), onLost, today);
  const around = () => ({ model, today: today(), all: store.all });
  const entityOf = (name) => model.entities.find((entity) => entity.name === name);
  let touched;

  const here = () => {
    const screen = model.screens.find(({ path }) => path === location.pathname) ?? model.screens[0];
    const id = Number(new URLSearchParams(location.search).get("id"));
    const record = screen.kind === "form" ? (store.find(screen.of, id) ?? blank(entityOf(screen.of), today())) : undefined;
    return { screen, record };
  };
  const show = (more = {}) => {
    const { screen, record } = here();
    document.title = `${screen.title} · ${model.name}`;
    place("heading").textContent = screen.title;
    place("app").innerHTML = viewOf(model, screen, around(), { record, ...more });
    for (const link of document.querySelectorAll("nav a")) {
      if (link.getAttribute("href") === screen.path) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (screen.add !== undefined) document.querySelector("nav .add")?.setAttribute("href", screen.add);
  };
  const go = (path) => {
    history.pushState(null, "", path);
    say("");
    show();
    // Who does not see the screen hears which one it is.
    place("heading").focus();
  };
  const home = () => go(model.screens.find(({ kind }) => kind === "list")?.path ?? model.screens[0].path);

  const valuesOf = (given) => Object.fromEntries(Object.entries(given).map(([name, value]) => [name, resolve(value, today())]));
  /** Keeps the record if it is right; else says what is wrong. */
  const keep = (name, record) => {
    const entity = entityOf(name);
    const problems = problemsWith(entity, record, around());
    const [wrong] = Object.keys(problems);
    if (wrong === undefined) {
      const refusal = store.put(name, record);
      if (refusal !== undefined) say(refusal);
      return refusal === undefined;
    }
    say(`${entity.fields.find((field) => field.name === wrong)?.label ?? wrong} ${problems[wrong]}.`);
    return false;
  };
  /** Does what a row offers for a tap or a swipe; nothing if it offers nothing. */
  const act = (action, id) => {
    const { screen } = here();
    const record = store.find(screen.of, id);
    const { sets = {}, adds = [], label = undefined } = screen[action] ?? {};
    if (record === undefined || label === undefined) return;
    const isSet = Object.keys(sets).length === 0 || keep(screen.of, { ...record, ...valuesOf(sets) });
    const isAdded = isSet && adds.every(({ entity, by, values }) => keep(entity, { ...blank(entityOf(entity), today()), ...valuesOf(values), [by]: id }));
    if (isAdded) {
      const entity = entityOf(screen.of);
      sayDone(`${label}: ${withComputed(entity, record, around())[screen.row.title] ?? ""}`);
    }
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
    const problem = store.remove(screen.of, record.id);
    if (problem !== undefined) return say(problem);
    home();
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const { screen, record } = here();
    const entity = entityOf(screen.of);
    const fields = entity.fields.filter(({ name }) => screen.fields.includes(name));
    const entered = { ...record, ...readTexts(fields, window.readForm(event.target)) };
    const problems = problemsWith(entity, entered, around());
    if (Object.keys(problems).length > 0) {
      show({ entered, problems });
      document.querySelector('[aria-invalid="true"]')?.focus();
      return say("Some fields are not right.");
    }
    const refusal = store.put(screen.of, entered);
    if (refusal === undefined) return home();
    show({ entered });
    say(refusal);
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
    if (!document.hidden && here().screen.kind !== "form") show();
  });
  window.navigator.serviceWorker?.register("/sw.js");
  // Asks the browser not to throw records away when it needs room.
  window.navigator.storage?.persist?.();
  show();
}
