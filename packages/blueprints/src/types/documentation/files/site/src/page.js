import { escapeHtml } from "./inline.js";
import { renderMarkdown } from "./markdown.js";
import { headHtml, headerHtml } from "./frame.js";

/** A whole page: navigation, text, table of contents, the pages before and after. */
export function pageHtml(page, { settings, edition, editions }) {
  const order = readingOrder(edition);
  const place = order.indexOf(page);
  const { features } = settings;
  const { texts } = edition;
  return frame({
    settings,
    edition,
    editions,
    current: page,
    title: page.title === settings.name ? page.title : `${page.title} · ${settings.name}`,
    summary: page.summary,
    main: [
      noticeHtml(page, edition, editions),
      `<h1>${escapeHtml(page.title)}</h1>`,
      page.summary === "" ? "" : `<p class="summary">${escapeHtml(page.summary)}</p>`,
      features.includes("table_of_contents") ? contentsHtml(page.headings, texts) : "",
      features.includes("heading_anchors") ? page.html : page.html.replace(/ <a class="anchor"[^>]*>#<\/a>/g, ""),
      features.includes("previous_next") && place !== -1 ? neighbours(order[place - 1], order[place + 1], texts) : "",
    ],
  });
}

export function notFoundHtml({ settings, edition, editions }) {
  const { title, body } = settings.notFound;
  const main = [`<h1>${escapeHtml(title)}</h1>`, renderMarkdown(body).html];
  return frame({ settings, edition, editions, title: `${title} · ${settings.name}`, summary: "", main });
}

/** For servers of files, which cannot redirect themselves. */
export function redirectHtml(target) {
  const link = escapeHtml(target);
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="refresh" content="0; url=${link}">`,
    `<title>${link}</title>`,
    `<link rel="canonical" href="${link}">`,
    "</head>",
    `<body><p><a href="${link}">${link}</a></p></body>`,
    "</html>",
    "",
  ].join("\n");
}

function readingOrder({ navigation, pages }) {
  const ids = navigation.flatMap((group) => group.pages);
  return ids.map((id) => pages.find((page) => page.id === id)).filter((page) => page !== undefined);
}

/** Pages of other versions than the current one say so, and lead there. */
function noticeHtml({ id }, { notice, language, version, texts }, editions) {
  if (notice === "") return "";
  const current = editions.find((other) => other.isCurrent && other.language === language && other.version !== version);
  const target = current && (current.pages.find((page) => page.id === id) ?? current.pages[0]);
  const link = target === undefined ? "" : ` <a href="${escapeHtml(target.path)}">${escapeHtml(texts.current_version)}</a>`;
  return `<p class="notice" role="note">${escapeHtml(notice)}${link}</p>`;
}

function contentsHtml(headings, texts) {
  const shown = headings.filter(({ level }) => level <= 3);
  if (shown.length < 2) return "";
  const items = shown.map(({ level, id, title }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="${escapeHtml(texts.on_this_page)}">\n<ul>\n${items.join("\n")}\n</ul>\n</nav>`;
}

function neighbours(before, after, texts) {
  const link = (page, rel, word) =>
    page === undefined ? "" : `<a rel="${rel}" href="${escapeHtml(page.path)}">${escapeHtml(word)}: ${escapeHtml(page.title)}</a>`;
  const links = [link(before, "prev", texts.previous), link(after, "next", texts.next)].filter(Boolean);
  const label = escapeHtml(`${texts.previous}, ${texts.next}`);
  return links.length === 0 ? "" : `<nav class="neighbours" aria-label="${label}">${links.join("\n")}</nav>`;
}

function navigationHtml({ navigation, pages }, current) {
  return navigation.map(({ title, pages: ids }) => {
    const known = ids.map((id) => pages.find((page) => page.id === id)).filter((page) => page !== undefined);
    const items = known.map((page) => {
      const here = page === current ? ' aria-current="page"' : "";
      return `<li><a href="${escapeHtml(page.path)}"${here}>${escapeHtml(page.title)}</a></li>`;
    });
    const heading = title === "" ? "" : `<p class="group">${escapeHtml(title)}</p>\n`;
    return `${heading}<ul>\n${items.join("\n")}\n</ul>`;
  });
}

function frame({ settings, edition, editions, current, title, summary, main }) {
  const { texts } = edition;
  return [
    "<!doctype html>",
    `<html lang="${escapeHtml(edition.language)}">`,
    ...headHtml({ settings, edition, editions, current, title, summary }),
    `<body data-copy="${escapeHtml(texts.copy)}" data-copied="${escapeHtml(texts.copied)}">`,
    `<a class="skip" href="#main">${escapeHtml(texts.skip)}</a>`,
    ...headerHtml({ settings, edition, editions, current }),
    '<div class="columns">',
    `<nav class="pages" aria-label="${escapeHtml(texts.pages)}">`,
    ...navigationHtml(edition, current),
    "</nav>",
    '<main id="main">',
    ...main.filter((part) => part !== ""),
    "</main>",
    "</div>",
    ...(settings.licence === "" ? [] : [`<footer><p>${escapeHtml(texts.licence)}: ${escapeHtml(settings.licence)}</p></footer>`]),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}
