import { html } from "./html.js";

/** What a field is called on pages: as it is labelled, else by its name. */
export function labelOf(name, field) {
  const words = name.replaceAll("_", " ").trim();
  return field?.label ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value as people read it. */
export function shownValue(value, field) {
  if (value === null || value === undefined || value === "") return html`<span class="none">none</span>`;
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return JSON.stringify(value);
  if (field?.type === "enum") return html`<span class="tag">${value}</span>`;
  if (field?.type === "date") return html`<time datetime="${value}">${value}</time>`;
  if (field?.type === "url") return html`<a href="${value}" rel="noopener noreferrer">${value}</a>`;
  if (field?.type === "text") return html`<span class="prose">${value}</span>`;
  return String(value);
}

/** What a record is called: by its title, else by its number. */
export function nameOf(record, { title }, titleField) {
  const name = record[titleField];
  return name === undefined || name === null || name === "" ? `${labelOf(title)} ${record.id}` : String(name);
}

/** A path with the values of a request in the place of their names. */
export function filled(path, values) {
  return path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ""));
}
