import { control, escape, shown } from "../records/controls.js";

export function listView({ list, empty }, entity, records, selectedId, choicesOf) {
  if (records.length === 0) return `<p class="empty">${escape(empty)}</p>`;
  const text = (record, name) => escape(shown(entity, name, record[name], choicesOf));
  const row = (record) => `<li><button type="button" data-id="${record.id}"${record.id === selectedId ? ' aria-current="true"' : ""}>
    <span class="title">${text(record, list.title)}</span>
    <span class="detail">${list.detail.map((name) => text(record, name)).join(" · ")}</span></button></li>`;
  return `<ul>${records.map(row).join("")}</ul>`;
}

/** The form of a record, or of a new one, with what is computed of it. */
export function detailView(entity, names, record, errors = {}, choicesOf = undefined) {
  const controls = names.map((name) => {
    const field = entity.fields.find((one) => one.name === name);
    if (field !== undefined) return control(field, record[name], errors[name], choicesOf);
    const { label } = entity.computed.find((one) => one.name === name);
    if (record.id === undefined) return "";
    return `<p class="computed"><span>${escape(label)}</span> <output>${escape(shown(entity, name, record[name]))}</output></p>`;
  });
  return `<form novalidate>${controls.join("")}<p class="actions"><button type="submit" class="primary">Save</button></p></form>`;
}

/** The records that refer to the chosen one: a table, and a form below it for another one or the one that is changed. */
export function linesView(entity, { by, records }, index, record, errors = {}, choicesOf = undefined) {
  const fields = entity.fields.filter(({ name, hidden }) => name !== by && hidden !== true);
  const columns = [...fields, ...entity.computed];
  const title = (one) => escape(shown(entity, entity.titleField, one[entity.titleField], choicesOf));
  const button = (does, label, one) =>
    `<button type="button" data-table="${index}" data-line="${one.id}" data-does="${does}" aria-label="${label} ${title(one)}">${label}</button>`;
  const row = (one) => `<tr>${columns.map(({ name }) => `<td>${escape(shown(entity, name, one[name], choicesOf))}</td>`).join("")}
    <td class="does">${button("edit", "Edit", one)} ${button("delete", "Delete", one)}</td></tr>`;
  const head = columns.map(({ label }) => `<th scope="col">${escape(label)}</th>`).join("");
  const table = records.length === 0 ? "" : `<table><thead><tr>${head}<td></td></tr></thead><tbody>${records.map(row).join("")}</tbody></table>`;
  const controls = fields.map((field) => control(field, record[field.name], errors[field.name], choicesOf, `line-${index}`));
  const name = escape(entity.name);
  return `<section aria-label="${name}"><h2>${escape(entity.file)}</h2>${table}
    <form novalidate class="line" data-table="${index}" data-record="${record.id ?? ""}">${controls.join("")}
    <p class="actions"><button type="submit">${record.id === undefined ? `Add ${name}` : `Save ${name}`}</button></p></form></section>`;
}
