import { select } from "./records.js";

/** Text as part of a page: whatever it holds, it is only text. */
export function escape(value) {
  return String(value ?? "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** What a screen shows, as HTML. */
export function viewOf(model, screen, { store, today, record, entered, errors }) {
  const entity = model.entities.find(({ name }) => name === screen.of);
  if (screen.kind === "form") return form(entity, screen, { record, entered, errors });
  return list(model, entity, screen, store.all(entity.name), today);
}

function list(model, entity, screen, records, today) {
  const rows = select(entity, records, screen, today);
  if (rows.length === 0) return `<p class="empty">${escape(screen.empty)}</p>`;
  return `<ul class="rows">${rows.map((record) => row(model, screen, record)).join("")}</ul>`;
}

function row(model, screen, record) {
  const text = `<span class="title">${escape(record[screen.row.title])}</span>
    <span class="detail">${escape(screen.row.detail === null ? "" : record[screen.row.detail])}</span>`;
  const opened = model.screens.find(({ id }) => id === screen.tap?.opens);
  const main =
    opened === undefined
      ? `<div class="about">${text}</div>`
      : `<a class="about" data-link href="${escape(opened.path)}?id=${record.id}">${text}</a>`;
  const button = (action, { label }, kind) =>
    `<button type="button" class="${kind}" data-action="${action}" data-id="${record.id}">${escape(label)}</button>`;
  const buttons = [
    ...(screen.tap?.sets ? [button("tap", screen.tap, "primary")] : []),
    ...(screen.swipeLeft === null ? [] : [button("swipeLeft", screen.swipeLeft, "quiet")]),
    ...(screen.swipeRight === null ? [] : [button("swipeRight", screen.swipeRight, "quiet")]),
  ];
  return `<li class="row" data-row="${record.id}">${main}${buttons.join("")}</li>`;
}

function form(entity, screen, { record, entered, errors }) {
  const fields = entity.fields.filter(({ name }) => screen.fields.includes(name));
  const isKept = record.id !== undefined;
  const remove =
    isKept && screen.actions.includes("delete") ? '<button type="button" class="quiet" data-action="delete">Delete</button>' : "";
  const save = screen.actions.includes("save") ? '<button type="submit" class="primary">Save</button>' : "";
  return `<form novalidate>
    ${fields.map((field) => control(field, (entered ?? record)[field.name], errors?.[field.name])).join("")}
    <div class="actions">${save}${remove}</div>
  </form>`;
}

function control(field, value, error) {
  const { name, label, required } = field;
  const id = `field-${name}`;
  const note = error === undefined ? "" : `<p class="error" id="${id}-error">${escape(error)}</p>`;
  const state = error === undefined ? "" : ` aria-invalid="true" aria-describedby="${id}-error"`;
  const common = `id="${id}" name="${escape(name)}"${required ? " required" : ""}${state}`;
  return `<p class="field"><label for="${id}">${escape(label)}</label>${input(field, common, value)}</p>${note}`;
}

function input({ type, values, min, max, maxLength }, common, value) {
  const limits = `${min === null ? "" : ` min="${min}"`}${max === null ? "" : ` max="${max}"`}${maxLength === null ? "" : ` maxlength="${maxLength}"`}`;
  if (type === "text") return `<textarea ${common}${limits} rows="4">${escape(value)}</textarea>`;
  if (type === "boolean") return `<input type="checkbox" ${common}${value === true ? " checked" : ""}>`;
  if (type === "enum") {
    const option = (one) => `<option value="${escape(one)}"${one === value ? " selected" : ""}>${escape(one)}</option>`;
    return `<select ${common}>${values.map(option).join("")}</select>`;
  }
  const kinds = { integer: 'type="number" inputmode="numeric" step="1"', number: 'type="number" inputmode="decimal" step="any"', date: 'type="date"' };
  return `<input ${kinds[type] ?? 'type="text"'} ${common}${limits} value="${escape(value)}">`;
}

