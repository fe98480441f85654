import { hidden } from "./forms.js";
import { html } from "./html.js";
import { choices } from "./list-page.js";
import { labelOf } from "./show-value.js";
import { say } from "./texts.js";

/** A form for a record: every field with its label, and what is wrong with it beside it. */
export function formContent(visit, { page, resource, values, problems = {}, before }) {
  const { site } = visit;
  return html`
${page.intro && html`<p class="intro">${page.intro}</p>`}
${before}
${problemList(site, resource, page.fields, problems)}
<form method="post" class="${page.layout}">
${hidden(visit)}
${page.fields.map((name) => formField(visit, name, resource.fields[name], values[name], problems[name]))}
<button type="submit">${page.submit}</button>
</form>
`;
}

/** What is wrong, over the form; each leads to its field, if the form has it. */
function problemList(site, { fields }, names, problems) {
  if (Object.keys(problems).length === 0) return undefined;
  const entries = Object.entries(problems).map(([name, problem]) => {
    if (!Object.hasOwn(fields, name)) return html`<li>${problem}</li>`;
    const label = labelOf(name, fields[name]);
    return names.includes(name)
      ? html`<li><a href="#field-${name}">${label}</a> ${problem}</li>`
      : html`<li>${label} ${problem}</li>`;
  });
  return html`<div class="problems" role="alert"><p>${say(site, "look_again")}</p><ul>${entries}</ul></div>`;
}

function formField(visit, name, field, value, problem) {
  const id = `field-${name}`;
  const hints = [problem && `${id}-problem`, field.description && `${id}-hint`].filter(Boolean);
  const state = html`${isRequired(field) && html` required`}${problem && html` aria-invalid="true"`}${hints.length > 0 && html` aria-describedby="${hints.join(" ")}"`}`;
  const notes = html`${field.description && html`<p class="hint" id="${id}-hint">${field.description}</p>`}${problem && html`<p class="problem" id="${id}-problem">${problem}</p>`}`;
  const isOptional = !field.required && field.type !== "boolean" && field.type !== "enum";
  const zone = field.type === "datetime" && html` <span class="optional">UTC</span>`;
  const words = html`${labelOf(name, field)}${zone}${isOptional && html` <span class="optional">${say(visit.site, "optional")}</span>`}`;
  if (isChoiceOfMany(field)) return checkboxes({ id, name, field, value, words, notes });
  const label = html`<label for="${id}">${words}</label>`;
  const box = control(visit, { id, name, field, value, state });
  return html`<div class="field">${field.type === "boolean" ? html`${box} ${label}` : html`${label}${box}`}${notes}</div>
`;
}

/** A box need not be ticked, and an enum always has a value. */
function isRequired({ type, required }) {
  return required && type !== "boolean";
}

function isChoiceOfMany({ type, of }) {
  return type === "list" && of?.type === "enum";
}

function checkboxes({ id, name, field, value, words, notes }) {
  const chosen = Array.isArray(value) ? value.map(String) : [];
  return html`<fieldset class="field" id="${id}"><legend>${words}</legend>${field.of.values.map(
    (option, index) =>
      html`<div><input id="${id}-${index}" name="${name}" type="checkbox" value="${option}"${chosen.includes(String(option)) && html` checked`}> <label for="${id}-${index}">${option}</label></div>`,
  )}${notes}</fieldset>
`;
}

const inputTypes = {
  integer: "number",
  number: "number",
  date: "date",
  time: "time",
  datetime: "datetime-local",
  email: "email",
  url: "url",
  password: "password",
};

function control(visit, { id, name, field, value, state }) {
  const { type } = field;
  const named = html`id="${id}" name="${name}"`;
  if (type === "boolean")
    return html`<input ${named} type="checkbox" value="true"${value === true && html` checked`}${state}>`;
  if (type === "text" || type === "object" || type === "any")
    return html`<textarea ${named} rows="5"${limits(field)}${state}>${written(field, value)}</textarea>`;
  const options = choicesFor(visit, field);
  if (options !== undefined)
    return html`<select ${named}${state}>${choices(options, String(value ?? field.default ?? ""))}</select>`;
  const more = html`${type === "number" && html` step="any"`}${autocomplete(name, field)}`;
  return html`<input ${named} type="${inputTypes[type] ?? "text"}" value="${written(field, value)}"${limits(field)}${more}${state}>`;
}

/** What can be chosen, with nothing first where nothing may be chosen or is chosen yet. */
function choicesFor({ site, choicesOf }, field) {
  if (field.type === "enum") {
    const values = field.values.map((value) => [String(value), String(value)]);
    return field.default === undefined ? [["", field.required ? say(site, "choose") : ""], ...values] : values;
  }
  if (field.type !== "reference") return undefined;
  const records = choicesOf(field.to);
  return records && [["", field.required ? say(site, "choose") : ""], ...records];
}

function limits({ type, min, max, max_length: maxLength, min_length: minLength, pattern }) {
  const isText = type !== "list" && type !== "object" && type !== "any";
  return html`${isText && maxLength && html` maxlength="${maxLength}"`}${isText && minLength && html` minlength="${minLength}"`}${limit("min", type, min)}${limit("max", type, max)}${isText && type !== "text" && pattern && html` pattern="${pattern.replace(/^\^|\$$/g, "")}"`}`;
}

/** `today` is the day on which the form is shown. */
function limit(name, type, value) {
  if (value === undefined) return undefined;
  const day = value === "today" || value === "now" ? new Date().toISOString() : value;
  if (type === "date") return html` ${name}="${String(day).slice(0, 10)}"`;
  if (type === "datetime") return html` ${name}="${String(day).slice(0, 16)}"`;
  return html` ${name}="${day}"`;
}

/** Tells the browser what it may fill in by itself. */
function autocomplete(name, { type }) {
  if (type === "password") return html` autocomplete="new-password"`;
  if (type === "email") return html` autocomplete="email"`;
  return name === "name" ? html` autocomplete="off"` : undefined;
}

/** A value as it stands in a field of a form. */
function written({ type }, value) {
  if (value === null || value === undefined) return "";
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "object") return JSON.stringify(value);
  // A browser has no time zone in this field: it is always UTC, and says so beside it.
  if (type === "datetime" && !Number.isNaN(Date.parse(value))) return new Date(value).toISOString().slice(0, 16);
  return value;
}

/** What a browser sent as the values that the fields hold. Of a box that is not ticked it sends nothing at all. */
export function valuesOf({ fields }, names, form) {
  return Object.fromEntries(names.map((name) => [name, fieldValue(fields[name], form.getAll(name))]));
}

function fieldValue(field, texts) {
  const [text = ""] = texts;
  if (field.type === "boolean") return text === "true";
  if (isChoiceOfMany(field)) return texts.map((one) => choiceOf(field.of, one));
  if (text === "") return null;
  switch (field.type) {
    case "integer":
    case "number":
    case "reference":
      return Number.isNaN(Number(text)) ? text : Number(text);
    case "enum":
      return choiceOf(field, text);
    case "datetime":
      return /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?$/.test(text)
        ? `${text.slice(0, 16)}:${text.slice(17) || "00"}Z`
        : text;
    case "list":
      return entriesOf(field, text);
    case "object":
    case "any":
      return parsed(text);
    default:
      return text.replaceAll("\r\n", "\n");
  }
}

function choiceOf({ values }, text) {
  return values.find((value) => String(value) === text) ?? text;
}

function entriesOf({ of }, text) {
  const entries = text
    .split(",")
    .map((entry) => entry.trim())
    .filter(Boolean);
  return of === undefined ? entries : entries.map((entry) => fieldValue(of, [entry]));
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
