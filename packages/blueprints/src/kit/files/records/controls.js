/** Text as part of a page: whatever it holds, it is only text. */
export function escape(value) {
  return String(value ?? "").replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** A value as people read it. */
export function shown(entity, name, value, choicesOf = () => []) {
  if (value === null || value === undefined) return "";
  const field = [...entity.fields, ...entity.computed].find((one) => one.name === name);
  if (field?.type === "reference") return choicesOf(field).find(({ id }) => id === value)?.title ?? `#${value}`;
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" && typeof field?.decimals === "number" ? value.toFixed(field.decimals) : String(value);
}

/**
 * The label and the control of a field, and what is wrong with its value.
 *
 * @param {(field: object) => { id: number, title: string }[]} choicesOf what a reference can lead to
 */
export function control(field, value, problem, choicesOf = () => [], prefix = "field") {
  const { name, label, required, hint } = field;
  const id = `${prefix}-${name}`;
  const note = problem === undefined ? "" : `<p class="error" id="${id}-error">${escape(label)} ${escape(problem)}.</p>`;
  const help = hint === undefined ? "" : `<span class="hint" id="${id}-hint">${escape(hint)}</span>`;
  const about = [...(problem === undefined ? [] : [`${id}-error`]), ...(hint === undefined ? [] : [`${id}-hint`])];
  const state = `${problem === undefined ? "" : ' aria-invalid="true"'}${about.length === 0 ? "" : ` aria-describedby="${about.join(" ")}"`}`;
  const common = `id="${id}" name="${escape(name)}"${required ? " required" : ""}${state}`;
  return `<p class="field"><label for="${id}">${escape(label)}</label>${input(field, common, value, choicesOf)}${help}</p>${note}`;
}

const inputs = {
  integer: 'type="number" inputmode="numeric" step="1"',
  number: 'type="number" inputmode="decimal" step="any"',
  date: 'type="date"',
  datetime: 'type="datetime-local"',
  time: 'type="time"',
  email: 'type="email" autocomplete="off"',
  url: 'type="url"',
};

function input(field, common, value, choicesOf) {
  const { type, values, min, max, maxLength, required } = field;
  const limit = (name, value) => (/^[\d.-]+$/.test(String(value)) ? ` ${name}="${value}"` : "");
  const limits = limit("min", min) + limit("max", max) + limit("maxlength", maxLength);
  if (type === "text") return `<textarea ${common}${limits} rows="4">${escape(value)}</textarea>`;
  if (type === "boolean") return `<input type="checkbox" ${common}${value === true ? " checked" : ""}>`;
  if (type === "enum" || type === "reference") {
    const options = type === "enum" ? values.map((one) => ({ id: one, title: one })) : choicesOf(field);
    // Without it the first would be chosen before anybody has.
    const none = required && value !== null && value !== undefined ? "" : '<option value=""></option>';
    const option = ({ id, title }) => `<option value="${escape(id)}"${id === value ? " selected" : ""}>${escape(title)}</option>`;
    return `<select ${common}>${none}${options.map(option).join("")}</select>`;
  }
  return `<input ${inputs[type] ?? 'type="text"'} ${common}${limits} value="${escape(value)}">`;
}
