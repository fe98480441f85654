import { escapeHtml, inlineHtml } from "./inline.js";
import { codeHtml, headingHtml, tableHtml } from "./markdown.js";

/** The reference of an interface: a table of all entries that leads to a section for each. */
export function apiHtml(entries, addHeading) {
  const shown = entries.map((entry) => ({ ...entry, id: addHeading(2, titleOf(entry)) }));
  const hasSince = entries.some(({ since }) => since !== undefined);
  const head = ["Name", "What it does", ...(hasSince ? ["Since"] : [])];
  const rows = shown.map((entry) => [
    `<a href="#${entry.id}"><code>${escapeHtml(titleOf(entry))}</code></a>${entry.deprecated === undefined ? "" : " <em>deprecated</em>"}`,
    inlineHtml(firstParagraph(entry.description)),
    ...(hasSince ? [escapeHtml(entry.since ?? "")] : []),
  ]);
  return [tableHtml(head, rows, "All entries"), ...shown.map(sectionHtml)].join("\n");
}

/** What an entry is called: its name, or the endpoint that it is. */
export function titleOf({ name, method, path, signature }) {
  const endpoint = [method, path].filter((part) => part !== undefined).join(" ");
  return name ?? (endpoint === "" ? signature : endpoint);
}

function sectionHtml(entry) {
  const { id, method, path, name, signature, description = "", parameters = [], returns, errors = [], example, since, deprecated } = entry;
  const isNamedEndpoint = name !== undefined && path !== undefined;
  return [
    headingHtml(2, escapeHtml(titleOf(entry)), id),
    ...(deprecated === undefined ? [] : [`<p class="notice"><strong>Deprecated.</strong> ${inlineHtml(deprecated)}</p>`]),
    ...(isNamedEndpoint ? [codeHtml([method, path].filter(Boolean).join(" "), "http")] : []),
    ...(signature === undefined ? [] : [codeHtml(signature, entry.example_language)]),
    ...paragraphs(description),
    ...(parameters.length === 0 ? [] : [parameterTable(parameters)]),
    ...(returns === undefined ? [] : [`<p><strong>Returns</strong> ${inlineHtml(returns)}</p>`]),
    ...(errors.length === 0 ? [] : [errorTable(errors)]),
    ...(example === undefined ? [] : [codeHtml(example.trimEnd(), entry.example_language)]),
    ...(since === undefined ? [] : [`<p class="since">Since ${escapeHtml(since)}</p>`]),
  ].join("\n");
}

function parameterTable(parameters) {
  const rows = parameters.map(({ name = "", type = "", required = false, default: fallback, description = "" }) => [
    `<code>${escapeHtml(name)}</code>`,
    type === "" ? "" : `<code>${escapeHtml(type)}</code>`,
    required ? "yes" : fallback === undefined ? "no" : `no, <code>${escapeHtml(fallback)}</code>`,
    inlineHtml(description),
  ]);
  return tableHtml(["Parameter", "Type", "Required", "What it is for"], rows, "Parameters");
}

function errorTable(errors) {
  const rows = errors.map(({ code = "", description = "" }) => [`<code>${escapeHtml(code)}</code>`, inlineHtml(description)]);
  return tableHtml(["Error", "When"], rows, "Errors");
}

function paragraphs(text) {
  return text.trim() === "" ? [] : text.trim().split(/\n{2,}/).map((part) => `<p>${inlineHtml(part)}</p>`);
}

function firstParagraph(text = "") {
  return text.trim().split(/\n{2,}/)[0];
}
