/** Text as part of a page: whatever it holds, it is only text. */
export function escape(value) {
  return String(value ?? "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function listView({ list, empty }, records, selectedId) {
  if (records.length === 0) return `<p class="empty">${escape(empty)}</p>`;
  const row = (record) => `<li><button type="button" data-id="${record.id}"${record.id === selectedId ? ' aria-current="true"' : ""}>
    <span class="title">${escape(record[list.title])}</span>
    <span class="detail">${escape(list.detail === null ? "" : record[list.detail])}</span></button></li>`;
  return `<ul>${records.map(row).join("")}</ul>`;
}

/** The form of a record, or of a new one. */
export function detailView(entity, shown, record, errors = {}) {
  const fields = entity.fields.filter(({ name }) => shown.includes(name));
  return `<form novalidate>${fields.map((field) => control(field, record[field.name], errors[field.name])).join("")}
    <p class="actions"><button type="submit" class="primary">Save</button></p></form>`;
}

function control(field, value, error) {
  const { name, label, required } = field;
  const id = `field-${name}`;
  const note = error === undefined ? "" : `<p class="error" id="${id}-error">${escape(label)} ${escape(error)}.</p>`;
  const state = error === undefined ? "" : ` aria-invalid="true" aria-describedby="${id}-error"`;
  const common = `id="${id}" name="${escape(name)}"${required ? " required" : ""}${state}`;
  return `<p class="field"><label for="${id}">${escape(label)}</label>${input(field, common, value)}</p>${note}`;
}

function input({ type, values, min, max, maxLength }, common, value) {
  const limit = (name, number) => (number === null ? "" : ` ${name}="${number}"`);
  const limits = limit("min", min) + limit("max", max) + limit("maxlength", maxLength);
  if (type === "text") return `<textarea ${common}${limits} rows="5">${escape(value)}</textarea>`;
  if (type === "boolean") return `<input type="checkbox" ${common}${value === true ? " checked" : ""}>`;
  if (type === "enum") {
    const option = (one) => `<option${one === value ? " selected" : ""}>${escape(one)}</option>`;
    return `<select ${common}>${values.map(option).join("")}</select>`;
  }
  const kind = { integer: "number", number: "number", date: "date" }[type] ?? "text";
  return `<input type="${kind}"${type === "number" ? ' step="any"' : ""} ${common}${limits} value="${escape(value)}">`;
}

/** What a form holds, as values of the entity: numbers are numbers, and what is empty is nothing. */
export function valuesOf(entity, shown, entered) {
  const fields = entity.fields.filter(({ name }) => shown.includes(name));
  return Object.fromEntries(
    fields.map(({ name, type }) => {
      if (type === "boolean") return [name, entered[name] !== undefined];
      const text = String(entered[name] ?? "").trim();
      if (text === "") return [name, null];
      return [name, type === "integer" || type === "number" ? Number(text) : text];
    }),
  );
}
