import { apiHtml } from "./api-table.js";
import { escapeHtml } from "./inline.js";
import { renderMarkdown } from "./markdown.js";
import { notFoundHtml, pageHtml, redirectHtml } from "./page.js";

/**
 * Makes the site: what is served, by path. Nothing is read or written here. An edition is a version in a language; the
 * first one is served at the top, each other below its prefix.
 */
export function buildSite({ settings, sources, assets }) {
  const editions = settings.editions.map((edition) => ({ ...edition, pages: readPages(edition, sources) }));
  const files = new Map();
  for (const edition of editions) {
    for (const page of edition.pages) files.set(page.path, pageHtml(page, { settings, edition, editions }));
    if (settings.search !== null) files.set(edition.prefix + settings.search.index, searchIndex(edition, settings.search));
  }
  files.set("/404.html", notFoundHtml({ settings, edition: editions[0], editions }));
  files.set("/sitemap.xml", sitemap(editions, settings));
  for (const [from, to] of Object.entries(settings.redirects)) if (!files.has(from)) files.set(from, redirectHtml(to));
  for (const [name, text] of assets) files.set(`/assets/${name}`, text);
  return files;
}

function readPages({ prefix, sources: names, api }, sources) {
  const pages = names.map((name) => readSource(sources[name]));
  const paths = new Set(pages.map(({ path }) => path));
  const entries = api === null ? [] : JSON.parse(sources[api]);
  return pages.map(({ body, ...facts }) => {
    const { html, headings, addHeading } = renderMarkdown(body);
    const table = facts.id === "api" && entries.length > 0 ? apiHtml(entries, addHeading) : "";
    return { ...facts, path: prefix + facts.path, headings, html: within(prefix, paths, `${html}\n${table}`.trim()) };
  });
}

/** A source starts with what is known of the page, a JSON value for each name, between two lines of hyphens. */
export function readSource(source) {
  const [, head, body] = /^---\n([\s\S]*?)\n---\n?([\s\S]*)$/.exec(source) ?? [undefined, "", source];
  const known = head.split("\n").map((line) => /^(\w+): (.*)$/s.exec(line));
  const facts = Object.fromEntries(known.filter(Boolean).map(([, name, value]) => [name, JSON.parse(value)]));
  return { id: "", path: "/", title: "", summary: "", ...facts, body };
}

/** Links to pages that the edition has as well stay in the edition. */
function within(prefix, paths, html) {
  if (prefix === "") return html;
  return html.replace(/ href="(\/[^"#?]*)/g, (whole, path) =>
    paths.has(path) || paths.has(`${path}/`) ? ` href="${prefix}${path}` : whole,
  );
}

/** What is searched: of each page only the fields that the site wants. */
function searchIndex({ pages }, { fields }) {
  const entries = pages.map(({ path, title, summary, headings, html }) => {
    const text = html
      .replace(/<a class="anchor"[^>]*>#<\/a>/g, "")
      // Marks inside a sentence stand between no words.
      .replace(/<\/?(?:a|abbr|b|code|del|em|i|kbd|mark|s|span|strong|sub|sup)\b[^>]*>/g, "")
      .replace(/<[^>]*>/g, " ")
      .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
    return {
      path,
      title,
      headings: fields.includes("headings") ? headings.map(({ id, title: words }) => ({ id, title: words })) : [],
      text: fields.includes("text") ? `${summary} ${text}`.replace(/\s+/g, " ").trim() : "",
    };
  });
  return `${JSON.stringify(entries)}\n`;
}

/** Addresses are complete where the site knows its own; SITE_URL says it when the site is built. */
function sitemap(editions, { address }) {
  const paths = editions.flatMap(({ pages }) => pages.map(({ path }) => path));
  const entries = paths.map((path) => `  <url><loc>${escapeHtml(address + path)}</loc></url>`);
  const name = "http://www.sitemaps.org/schemas/sitemap/0.9";
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="${name}">\n${entries.join("\n")}\n</urlset>\n`;
}
