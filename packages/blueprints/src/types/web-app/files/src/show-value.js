import { html } from "./html.js";
import { say } from "./texts.js";

/** What a field is called on pages: as it is labelled, else by its name; a reference is called after what it leads to. */
export function labelOf(name, field) {
  const words = (field?.type === "reference" ? name.replace(/_id$/, "") : name).replaceAll("_", " ").trim();
  return field?.label ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** A field of a resource, or one that every record has. */
export function fieldOf({ fields }, name) {
  return fields[name] ?? (name.endsWith("_at") ? { type: "datetime" } : { type: "integer" });
}

/** A value as people read it. */
export function shownValue(visit, value, field) {
  const { site } = visit;
  if (value === null || value === undefined || value === "")
    return html`<span class="none">${say(site, "none")}</span>`;
  if (field?.type === "reference") return shownReference(visit, value, field);
  if (Array.isArray(value)) return value.join(", ");
  if (typeof value === "boolean") return say(site, value ? "yes" : "no");
  if (typeof value === "object") return JSON.stringify(value);
  if (field?.type === "enum") return html`<span class="tag">${value}</span>`;
  if (field?.type === "date" || field?.type === "time") return html`<time datetime="${value}">${value}</time>`;
  if (field?.type === "datetime") return html`<time datetime="${value}">${readableMoment(value)}</time>`;
  if (field?.type === "url") return html`<a href="${value}" rel="noopener noreferrer">${value}</a>`;
  if (field?.type === "email") return html`<a href="mailto:${value}">${value}</a>`;
  if (field?.type === "text") return html`<span class="prose">${value}</span>`;
  return String(value);
}

/** What it leads to, by its name; whoever may not read that sees its number. */
function shownReference({ referenced }, id, { to }) {
  const { name, path } = referenced(to, id);
  return path === undefined ? name : html`<a href="${path}">${name}</a>`;
}

function readableMoment(value) {
  const moment = new Date(value);
  return Number.isNaN(moment.getTime()) ? value : `${moment.toISOString().slice(0, 16).replace("T", " ")} UTC`;
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
