import { html } from "./html.js";
import { labelOf } from "./show-value.js";

/** A form for a record: every field with its label, and what is wrong with it beside it. */
export function formContent({ page, resource, values, problems = {} }) {
  const names = Object.keys(problems);
  return html`
${page.intro && html`<p class="intro">${page.intro}</p>`}
${names.length > 0 && html`<div class="problems" role="alert"><p>Please look again:</p><ul>${names.map((name) => html`<li><a href="#field-${name}">${labelOf(name, resource.fields[name])}</a> ${problems[name]}</li>`)}</ul></div>`}
<form method="post">
${page.fields.map((name) => formField(name, resource.fields[name], values[name], problems[name]))}
<button type="submit">${page.submit}</button>
</form>
`;
}

function formField(name, field, value, problem) {
  const id = `field-${name}`;
  const hint = problem && html`<p class="problem" id="${id}-problem">${problem}</p>`;
  const state = html`${field.required && html` required`}${problem && html` aria-invalid="true" aria-describedby="${id}-problem"`}`;
  const optional = !field.required && field.type !== "boolean" && field.type !== "enum";
  const label = html`<label for="${id}">${labelOf(name, field)}${optional && html` <span class="optional">optional</span>`}</label>`;
  return html`<div class="field">${field.type === "boolean" ? html`${control(id, name, field, value, state)} ${label}` : html`${label}${control(id, name, field, value, state)}`}${hint}</div>
`;
}

const inputTypes = {
  integer: "number",
  number: "number",
  date: "date",
  email: "email",
  url: "url",
  password: "password",
};

function control(id, name, field, value, state) {
  const { type, max_length: longest, min, max } = field;
  const shown = Array.isArray(value)
    ? value.join(", ")
    : typeof value === "object" && value !== null
      ? JSON.stringify(value)
      : value;
  const limits = html`${longest && type !== "list" && html` maxlength="${longest}"`}${min !== undefined && html` min="${min}"`}${max !== undefined && html` max="${max}"`}`;
  if (type === "boolean")
    return html`<input id="${id}" name="${name}" type="checkbox" value="true"${value === true && html` checked`}${state}>`;
  if (type === "text") return html`<textarea id="${id}" name="${name}" rows="5"${limits}${state}>${shown}</textarea>`;
  if (type === "enum") {
    const chosen = value ?? field.default;
    const options = field.values.map(
      (option) => html`<option${option === chosen && html` selected`}>${option}</option>`,
    );
    return html`<select id="${id}" name="${name}"${state}>${options}</select>`;
  }
  const step = type === "number" && html` step="any"`;
  return html`<input id="${id}" name="${name}" type="${inputTypes[type] ?? "text"}" value="${shown}"${limits}${step}${state}>`;
}

/** What a browser sent as the values that the fields hold. Of a box that is not ticked it sends nothing at all. */
export function valuesOf({ fields }, names, form) {
  return Object.fromEntries(names.map((name) => [name, fieldValue(fields[name], form.get(name))]));
}

function fieldValue(field, text) {
  if (field.type === "boolean") return text === "true";
  if (text === null || text === "") return null;
  if (field.type === "integer" || field.type === "number") return Number.isNaN(Number(text)) ? text : Number(text);
  if (field.type === "enum") return field.values.find((value) => String(value) === text) ?? text;
  if (field.type === "list")
    return text
      .split(",")
      .map((entry) => entry.trim())
      .filter(Boolean);
  if (field.type === "object" || field.type === "any") return parsed(text);
  return text.replaceAll("\r\n", "\n");
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
