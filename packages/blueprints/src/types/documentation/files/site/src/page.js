import { escapeHtml } from "./inline.js";

/** A whole page: navigation, text, table of contents, the pages before and after. */
export function pageHtml(page, { settings, pages }) {
  const order = readingOrder(settings, pages);
  const place = order.indexOf(page);
  const { features } = settings;
  return frame({
    settings,
    pages,
    current: page,
    title: page.title === settings.name ? page.title : `${page.title} · ${settings.name}`,
    summary: page.summary,
    main: [
      `<h1>${escapeHtml(page.title)}</h1>`,
      page.summary === "" ? "" : `<p class="summary">${escapeHtml(page.summary)}</p>`,
      features.includes("table_of_contents") ? contentsHtml(page.headings) : "",
      features.includes("heading_anchors") ? page.html : page.html.replace(/ <a class="anchor"[^>]*>#<\/a>/g, ""),
      features.includes("previous_next") && place !== -1 ? neighbours(order[place - 1], order[place + 1]) : "",
    ],
  });
}

export function notFoundHtml({ settings, pages }) {
  const main = ["<h1>There is no such page</h1>", "<p>Look for it in the list of pages, or search.</p>"];
  return frame({ settings, pages, title: `No such page · ${settings.name}`, summary: "", main });
}

function readingOrder({ navigation }, pages) {
  const ids = navigation.flatMap((group) => group.pages);
  return ids.map((id) => pages.find((page) => page.id === id)).filter((page) => page !== undefined);
}

function contentsHtml(headings) {
  const shown = headings.filter(({ level }) => level <= 3);
  if (shown.length < 2) return "";
  const items = shown.map(({ level, id, title }) => `<li class="level-${level}"><a href="#${id}">${escapeHtml(title)}</a></li>`);
  return `<nav class="contents" aria-label="On this page">\n<ul>\n${items.join("\n")}\n</ul>\n</nav>`;
}

function neighbours(before, after) {
  const link = (page, rel, word) =>
    page === undefined ? "" : `<a rel="${rel}" href="${escapeHtml(page.path)}">${word}: ${escapeHtml(page.title)}</a>`;
  const links = [link(before, "prev", "Previous"), link(after, "next", "Next")].filter(Boolean);
  return links.length === 0 ? "" : `<nav class="neighbours" aria-label="Pages before and after">${links.join("\n")}</nav>`;
}

function navigationHtml({ navigation }, pages, current) {
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

function frame({ settings, pages, current, title, summary, main }) {
  const home = pages.find(({ path }) => path === "/")?.path ?? pages[0]?.path ?? "/";
  return [
    "<!doctype html>",
    `<html lang="${escapeHtml(settings.language)}">`,
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    ...(summary === "" ? [] : [`<meta name="description" content="${escapeHtml(summary)}">`]),
    '<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">',
    '<link rel="stylesheet" href="/assets/theme.css">',
    '<link rel="stylesheet" href="/assets/style.css">',
    '<script type="module" src="/assets/search.js"></script>',
    "</head>",
    "<body>",
    '<a class="skip" href="#main">Skip to the text</a>',
    "<header>",
    `<a class="name" href="${escapeHtml(home)}">${escapeHtml(settings.name)}</a>`,
    `<form role="search" data-index="${escapeHtml(settings.searchIndex)}" hidden>`,
    '<label for="query">Search</label>',
    '<input id="query" type="search" autocomplete="off" aria-controls="results">',
    '<ul id="results" aria-live="polite"></ul>',
    "</form>",
    "</header>",
    '<div class="columns">',
    '<nav class="pages" aria-label="Pages">',
    ...navigationHtml(settings, pages, current),
    "</nav>",
    '<main id="main">',
    ...main.filter((part) => part !== ""),
    "</main>",
    "</div>",
    ...(settings.licence === "" ? [] : [`<footer><p>Licence: ${escapeHtml(settings.licence)}</p></footer>`]),
    "</body>",
    "</html>",
    "",
  ].join("\n");
}
