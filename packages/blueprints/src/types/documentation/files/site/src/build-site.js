import { escapeHtml } from "./inline.js";
import { renderMarkdown } from "./markdown.js";
import { notFoundHtml, pageHtml } from "./page.js";

/** Makes the site: what is served, by path. Nothing is read or written here. */
export function buildSite({ settings, sources, assets }) {
  const pages = sources.map(readPage);
  const files = new Map();
  for (const page of pages) files.set(page.path, pageHtml(page, { settings, pages }));
  files.set("/404.html", notFoundHtml({ settings, pages }));
  files.set(settings.searchIndex, `${JSON.stringify(pages.map((page) => searchEntry(page, settings)))}\n`);
  files.set("/sitemap.xml", sitemap(pages, settings));
  for (const [name, text] of assets) files.set(`/assets/${name}`, text);
  return files;
}

/** A source starts with what is known of the page, a JSON value for each name, between two lines of hyphens. */
export function readPage(source) {
  const [, head, body] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(source) ?? [undefined, "", source];
  const known = head.split("\n").map((line) => /^(\w+): (.*)$/s.exec(line));
  const facts = Object.fromEntries(known.filter(Boolean).map(([, name, value]) => [name, JSON.parse(value)]));
  return { id: "", path: "/", title: "", summary: "", ...facts, ...renderMarkdown(body) };
}

/** What is searched of a page: only the fields that the site wants. */
function searchEntry({ path, title, summary, headings, html }, { searchFields }) {
  const text = html
    .replace(/<a class="anchor"[^>]*>#<\/a>/g, "")
    .replace(/<[^>]*>/g, " ")
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
  return {
    path,
    title,
    headings: searchFields.includes("headings") ? headings.map(({ id, title: words }) => ({ id, title: words })) : [],
    text: searchFields.includes("text") ? `${summary} ${text}`.replace(/\s+/g, " ").trim() : "",
  };
}

/** Addresses are complete where the site knows its own; SITE_URL says it when the site is built. */
function sitemap(pages, { address }) {
  const entries = pages.map(({ path }) => `  <url><loc>${escapeHtml(address + path)}</loc></url>`);
  const name = "http://www.sitemaps.org/schemas/sitemap/0.9";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${name}">\n${entries.join("\n")}\n</urlset>\n`;
}
