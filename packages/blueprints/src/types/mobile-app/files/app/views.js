import { figure } from "./records/compute.js";
import { control, escape, shown } from "./records/controls.js";
import { select } from "./select.js";

/** What a screen shows, as HTML. */
export function viewOf(model, screen, around, { record = undefined, entered = undefined, problems = {} } = {}) {
  if (screen.kind === "summary") return summary(screen, around);
  const entity = model.entities.find(({ name }) => name === screen.of);
  const choicesOf = ({ to }) => choices(model.entities.find(({ name }) => name === to), around);
  if (screen.kind === "form") return form(entity, screen, record, entered ?? record, problems, choicesOf);
  const rows = select(entity, screen, around);
  if (rows.length === 0) return `<p class="empty">${escape(screen.empty)}</p>`;
  return `<ul class="rows">${rows.map((one) => row(model, entity, screen, one, choicesOf)).join("")}</ul>`;
}

function summary(screen, around) {
  const text = (value) => (typeof value === "number" ? String(Number(value.toFixed(2))) : String(value ?? "–"));
  const one = ({ label, formula }) => `<div><dt>${escape(label)}</dt><dd>${escape(text(figure(formula, around)))}</dd></div>`;
  return `<dl class="figures">${screen.figures.map(one).join("")}</dl>`;
}

/** What a reference can lead to. */
function choices(entity, around) {
  const rows = select(entity, { orderBy: entity.titleField }, around);
  return rows.map((record) => ({ id: record.id, title: String(record[entity.titleField] ?? `#${record.id}`) }));
}

function row(model, entity, screen, record, choicesOf) {
  const title = shown(entity, screen.row.title, record[screen.row.title], choicesOf);
  const detail = screen.row.detail.map((name) => detailOf(entity, name, record[name], choicesOf)).filter((text) => text !== "");
  const text = `<span class="title">${escape(title)}</span>
    <span class="detail">${escape(detail.join(" · "))}</span>`;
  const opened = model.screens.find(({ id }) => id === screen.tap?.opens);
  const main =
    opened === undefined
      ? `<div class="about">${text}</div>`
      : `<a class="about" data-link href="${escape(opened.path)}?id=${record.id}">${text}</a>`;
  const button = (action, kind) => {
    const offered = screen[action];
    if (offered === undefined || offered.opens !== undefined) return "";
    const name = `${offered.label}: ${title}`;
    return `<button type="button" class="${kind}" data-action="${action}" data-id="${record.id}" aria-label="${escape(name)}">${escape(offered.label)}</button>`;
  };
  const buttons = button("tap", "primary") + button("swipeLeft", "quiet") + button("swipeRight", "quiet");
  return `<li class="row" data-row="${record.id}">${main}${buttons}</li>`;
}

/** A number alone says little: its name stands before it. */
function detailOf(entity, name, value, choicesOf) {
  const field = [...entity.fields, ...entity.computed].find((one) => one.name === name);
  const text = shown(entity, name, value, choicesOf);
  const isBare = field.type !== "reference" && (typeof value === "number" || typeof value === "boolean");
  return isBare ? `${field.label} ${text}` : text;
}

function form(entity, screen, record, values, problems, choicesOf) {
  const fields = screen.fields.map((name) => entity.fields.find((field) => field.name === name));
  const isKept = record.id !== undefined;
  const remove = isKept && screen.actions.includes("delete") ? '<button type="button" class="quiet" data-action="delete">Delete</button>' : "";
  const save = screen.actions.includes("save") ? '<button type="submit" class="primary">Save</button>' : "";
  return `<form novalidate>
    ${fields.map((field) => control(field, values[field.name], problems[field.name], choicesOf)).join("")}
    <div class="actions">${save}${remove}</div>
  </form>`;
}
