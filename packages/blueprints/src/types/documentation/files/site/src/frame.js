import { escapeHtml } from "./inline.js";

/** The head of a page. */
export function headHtml({ settings, edition, editions, current, title, summary }) {
  const { features, address, search } = settings;
  return [
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(title)}</title>`,
    ...(summary === "" ? [] : [`<meta name="description" content="${escapeHtml(summary)}">`]),
    ...alternatesHtml(edition, editions, current, address),
    '<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">',
    '<link rel="stylesheet" href="/assets/theme.css">',
    '<link rel="stylesheet" href="/assets/style.css">',
    ...(search === null ? [] : ['<script type="module" src="/assets/search.js"></script>']),
    ...(features.includes("copy_buttons") ? ['<script type="module" src="/assets/main.js"></script>'] : []),
    "</head>",
  ];
}

/** Where the page is in other languages; and in the current version, which is the one that others should find. */
function alternatesHtml(edition, editions, current, address) {
  if (current === undefined) return [];
  const same = (other) => other.pages.find(({ id }) => id === current.id);
  const languages = editions.filter(({ version, language }) => version === edition.version && language !== edition.language);
  const latest = editions.find(({ isCurrent, language }) => isCurrent && language === edition.language);
  const isOld = !edition.isCurrent && latest !== undefined && same(latest) !== undefined && address !== "";
  return [
    ...languages
      .filter((other) => same(other) !== undefined)
      .map((other) => `<link rel="alternate" hreflang="${escapeHtml(other.language)}" href="${escapeHtml(same(other).path)}">`),
    ...(isOld ? [`<link rel="canonical" href="${escapeHtml(address + same(latest).path)}">`] : []),
  ];
}

/** The header: the site's name, versions, languages and search. */
export function headerHtml({ settings, edition, editions, current }) {
  const { texts } = edition;
  const languages = editions.filter(({ version }) => version === edition.version);
  const versions = editions.filter(({ language }) => language === edition.language);
  return [
    "<header>",
    `<a class="name" href="${escapeHtml(homeOf(edition))}">${escapeHtml(settings.name)}</a>`,
    ...switchHtml(texts.versions, versions, edition, current, ({ version }) => escapeHtml(version)),
    ...switchHtml(texts.languages, languages, edition, current, ({ languageTitle }) => escapeHtml(languageTitle)),
    ...searchHtml(settings, edition),
    "</header>",
  ];
}

/** Links to the same page elsewhere; where there is none, to the first page. */
function switchHtml(label, choices, edition, current, name) {
  if (choices.length < 2) return [];
  const items = choices.map((choice) => {
    const page = choice.pages.find(({ id }) => id === current?.id);
    const here = choice === edition ? ' aria-current="true"' : "";
    const language = choice.language === edition.language ? "" : ` lang="${escapeHtml(choice.language)}" hreflang="${escapeHtml(choice.language)}"`;
    return `<li><a href="${escapeHtml(page?.path ?? homeOf(choice))}"${here}${language}>${name(choice)}</a></li>`;
  });
  return [`<nav class="switch" aria-label="${escapeHtml(label)}">`, `<ul>${items.join("")}</ul>`, "</nav>"];
}

function searchHtml({ search }, { prefix, texts }) {
  if (search === null) return [];
  return [
    `<form role="search" data-index="${escapeHtml(prefix + search.index)}" data-nothing="${escapeHtml(texts.nothing_found)}" hidden>`,
    `<label for="query">${escapeHtml(texts.search)}</label>`,
    '<input id="query" type="search" autocomplete="off" aria-controls="results">',
    '<ul id="results" aria-live="polite"></ul>',
    "</form>",
  ];
}

function homeOf({ prefix, pages }) {
  return pages.find(({ path }) => path === `${prefix}/`)?.path ?? pages[0].path;
}
