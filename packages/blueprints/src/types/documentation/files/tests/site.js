import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { addCopyButtons } from "#assets/copy.js";
import { rankPages } from "#assets/rank.js";
import { buildSite, readSource } from "#src/build-site.js";
import { checkLinks } from "#src/check-links.js";
import { problemsOf } from "#src/check-site.js";
import { loadSite } from "#src/load-site.js";

const site = await loadSite();
const { settings } = site;
const files = buildSite(site);
const root = fileURLToPath(new URL(".", import.meta.resolve("#package")));
const pages = settings.editions.flatMap((edition) =>
  edition.sources.map((name) => {
    const { path, title } = readSource(site.sources[name]);
    return { edition, path: edition.prefix + path, title };
  }),
);

test("every page is whole: a language, a title, one first heading, the way to all others", () => {
  for (const { path, edition } of [...pages, { path: "/404.html", edition: settings.editions[0] }]) {
    const html = files.get(path);
    assert.ok(html.includes(`<html lang="${edition.language}">`), path);
    assert.equal(html.match(/<h1[ >]/g).length, 1, path);
    assert.match(html, /<title>[^<]+<\/title>/);
    assert.match(html, /<main id="main">/);
    assert.ok(html.includes('<nav class="pages"'), path);
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    assert.equal(new Set(ids).size, ids.length, path);
  }
});

test("no link or anchor leads nowhere, and no link is forbidden", () => {
  assert.deepEqual(problemsOf(files, settings), []);
});

/** The site with one edition whose pages a test writes. */
function siteWith(sources, changes = {}, more = {}) {
  const edition = { ...settings.editions[0], prefix: "", sources: Object.keys(sources), api: null, navigation: [], ...changes };
  return { ...site, sources, settings: { ...settings, redirects: {}, editions: [edition], ...more } };
}

test("a link that leads nowhere is found", () => {
  const source = '---\ntitle: "Wrong"\npath: "/wrong/"\n---\n[a](/nowhere/) [b](#nothing) [c](http://[) [d](mailto:e@f.example) [g](https://h.example)';
  const { broken, anchors, others } = checkLinks(buildSite(siteWith({ wrong: source })));
  const on = (links) => links.filter(({ page }) => page === "/wrong/").map(({ target }) => target);
  const built = buildSite(siteWith({ wrong: source }, {}, { notFound: { title: "No", body: "No." } }));
  assert.deepEqual([on(broken), on(anchors), on(others)], [["/nowhere/", "http://["], ["#nothing"], ["https://h.example"]]);
  assert.equal(problemsOf(built, { externalLinks: true }).length, 3);
  assert.equal(problemsOf(built, { externalLinks: false }).length, 4);
});

test("the features of a page are there when they are wanted", () => {
  const sources = {
    a: '---\nid: "a"\npath: "/"\ntitle: "First"\n---\n## One\n## Two',
    b: '---\nid: "b"\npath: "/b/"\ntitle: "Second"\nsummary: "What is said."\n---\nText.',
  };
  const navigation = [{ title: "All", pages: ["a", "b", "gone"] }];
  const build = (features) => buildSite(siteWith(sources, { navigation }, { features }));
  const full = build(["table_of_contents", "previous_next", "heading_anchors", "copy_buttons"]);
  assert.match(full.get("/"), /class="contents"[\s\S]*href="#one"[\s\S]*rel="next" href="\/b\/"/);
  assert.match(full.get("/b/"), /rel="prev" href="\/"/);
  assert.match(full.get("/b/"), /<meta name="description" content="What is said.">/);
  assert.match(full.get("/"), /assets\/main\.js/);
  const bare = build([]);
  assert.doesNotMatch(bare.get("/"), /class="contents"|rel="next"|class="anchor"|assets\/main\.js/);
  assert.ok(full.get("/sitemap.xml").includes(`<loc>${settings.address}/b/</loc>`));
});

test("versions and languages lead to each other, and links stay where they are", () => {
  const sources = {
    home: '---\nid: "home"\npath: "/"\ntitle: "Home"\n---\n[how](/how/#x) and [new](/new/)',
    how: '---\nid: "how"\npath: "/how/"\ntitle: "How"\n---\n## X',
    new: '---\nid: "new"\npath: "/new/"\ntitle: "New"\n---\nNew.',
    heim: '---\nid: "home"\npath: "/"\ntitle: "Heim"\n---\nHeim.',
  };
  const [first] = settings.editions;
  const edition = (changes) => ({ ...first, version: "2", isCurrent: true, prefix: "", notice: "", navigation: [], api: null, ...changes });
  const editions = [
    edition({ sources: ["home", "how", "new"], languageTitle: "English", language: "en" }),
    edition({ sources: ["home", "how"], version: "1", isCurrent: false, prefix: "/1", notice: "Old.", language: "en" }),
    edition({ sources: ["heim"], language: "de", languageTitle: "Deutsch", prefix: "/de" }),
  ];
  const built = buildSite({ ...site, sources, settings: { ...settings, address: "https://a.example", redirects: { "/old/": "/how/" }, editions } });
  const old = built.get("/1/");
  assert.match(old, /href="\/1\/how\/#x"/);
  assert.match(old, /href="\/new\/"/);
  assert.match(old, /role="note">Old. <a href="\/">/);
  assert.match(old, /rel="canonical" href="https:\/\/a.example\/"/);
  assert.match(built.get("/how/"), /<nav class="switch"[^>]*>\n<ul><li><a href="\/how\/" aria-current="true">2<\/a><\/li><li><a href="\/1\/how\/">1</);
  assert.match(built.get("/new/"), /<a href="\/1\/">1</);
  assert.match(built.get("/"), /rel="alternate" hreflang="de" href="\/de\/"/);
  assert.match(built.get("/de/"), /<html lang="de">[\s\S]*<a href="\/" lang="en" hreflang="en">English</);
  assert.match(built.get("/old/"), /http-equiv="refresh" content="0; url=\/how\/"/);
  if (settings.search !== null) assert.ok(built.has(`/1${settings.search.index}`));
});

test("each edition has its own pages, and leads to every other", () => {
  for (const { edition, path } of pages) {
    const html = files.get(path);
    for (const other of settings.editions) {
      const isBeside = other !== edition && (other.language === edition.language) !== (other.version === edition.version);
      if (isBeside) assert.ok(html.includes(` href="${other.prefix}/`), `${path} → ${other.prefix}`);
    }
    if (edition.notice !== "") assert.match(html, /class="notice"/);
  }
});

test("code can be copied, and where that is forbidden it gets the focus", async () => {
  const made = [];
  const sample = { textContent: "npm test", before: (button) => made.push(button), focus: () => made.push("focus") };
  const element = () => Object.assign(new EventTarget(), { setAttribute: () => {} });
  const page = { body: { dataset: { copy: "Copy", copied: "Done" } }, querySelectorAll: () => [sample], createElement: element };
  const copied = [];
  let isForbidden = false;
  addCopyButtons(page, {
    writeText: async (text) => {
      if (isForbidden) throw new Error("no");
      copied.push(text);
    },
  });
  const [button] = made;
  const click = async () => {
    button.dispatchEvent(new Event("click"));
    await new Promise(setImmediate);
  };
  assert.equal(button.textContent, "Copy");
  await click();
  assert.deepEqual([copied, button.textContent], [["npm test"], "Done"]);
  button.dispatchEvent(new Event("blur"));
  assert.equal(button.textContent, "Copy");
  isForbidden = true;
  await click();
  assert.deepEqual([made[1], button.textContent], ["focus", "Copy"]);
});

test("the search finds pages by their words, titles first", () => {
  for (const edition of settings.search === null ? [] : settings.editions) {
    const index = JSON.parse(files.get(edition.prefix + settings.search.index));
    const own = pages.filter((page) => page.edition === edition);
    assert.deepEqual(index.map(({ path }) => path), own.map(({ path }) => path));
    for (const { title, path } of own) {
      const found = rankPages(index, title);
      assert.ok(found.some(({ entry }) => entry.path === path), title);
    }
  }
  const entries = [
    { path: "/a", title: "Apples", headings: [{ id: "x", title: "Pears too" }], text: "fruit" },
    { path: "/b", title: "Pears", headings: [], text: "fruit and apples" },
  ];
  assert.deepEqual(rankPages(entries, "pears").map(({ entry }) => entry.path), ["/b", "/a"]);
  assert.equal(rankPages(entries, "pears")[1].heading.id, "x");
  assert.deepEqual(rankPages(entries, "fruit plums"), []);
  assert.deepEqual(rankPages(entries, " "), []);
});

test("text can be told from what is behind it, by day and by night", async () => {
  const css = await readFile(join(root, "assets/theme.css"), "utf8");
  for (const block of css.match(/:root \{[^}]*\}/g)) {
    const colour = (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(block)[1];
    for (const name of ["ink", "accent", "quiet"])
      for (const behind of ["paper", "shade"])
        assert.ok(contrast(colour(name), colour(behind)) >= settings.minContrast, `${name} on ${behind}`);
  }
});

test("the site can be written to a folder", async () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, "tools/build.js")], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
  const [{ path }] = pages;
  const file = path.endsWith(".html") ? path : `${path.replace(/\/$/, "")}/index.html`;
  assert.equal(await readFile(join(root, "dist", file), "utf8"), files.get(path));
});

/** How much two colours differ in brightness, from 1 to 21, as WCAG counts it. */
function contrast(a, b) {
  const [dark, light] = [a, b].map(luminance).sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((start) => {
    const part = Number.parseInt(colour.slice(start, start + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
