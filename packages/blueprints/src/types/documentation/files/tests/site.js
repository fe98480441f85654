import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { rankPages } from "#assets/rank.js";
import { buildSite, readPage } from "#src/build-site.js";
import { checkLinks } from "#src/check-links.js";
import { loadSite } from "#src/load-site.js";

const site = await loadSite();
const { settings } = site;
const files = buildSite(site);
const pages = site.sources.map(readPage);
const root = fileURLToPath(new URL(".", import.meta.resolve("#package")));

test("every page is whole: a language, a title, one first heading, the way to all others", () => {
  for (const { path } of [...pages, { path: "/404.html" }]) {
    const html = files.get(path);
    assert.ok(html.includes(`<html lang="${settings.language}">`), path);
    assert.equal(html.match(/<h1[ >]/g).length, 1, path);
    assert.match(html, /<title>[^<]+<\/title>/);
    assert.match(html, /<main id="main">/);
    assert.ok(html.includes('<nav class="pages"'), path);
  }
});

test("links and anchors lead somewhere", () => {
  const { broken, anchors, others } = checkLinks(files);
  const isKnown = ({ page, target }) => settings.checks.known.some((each) => each.page === page && each.target === target);
  const unknown = (links) => links.filter((link) => !isKnown(link));
  assert.ok(unknown(broken).length <= settings.checks.broken, JSON.stringify(broken));
  assert.ok(unknown(anchors).length <= settings.checks.anchors, JSON.stringify(anchors));
  assert.ok(others.length <= (settings.checks.others ?? others.length), JSON.stringify(others));
});

test("a link that leads nowhere is found", () => {
  const source = '---\ntitle: "Wrong"\npath: "/wrong/"\n---\n[a](/nowhere/) [b](#nothing) [c](http://[) [d](mailto:e@f.example) [g](https://h.example)';
  const { broken, anchors, others } = checkLinks(buildSite({ ...site, sources: [...site.sources, source] }));
  const on = (links) => links.filter(({ page }) => page === "/wrong/").map(({ target }) => target);
  assert.deepEqual([on(broken), on(anchors), on(others)], [["/nowhere/", "http://["], ["#nothing"], ["https://h.example"]]);
});

test("the features of a page are there when they are wanted", () => {
  const sources = [
    '---\nid: "a"\npath: "/"\ntitle: "First"\n---\n## One\n## Two',
    '---\nid: "b"\npath: "/b/"\ntitle: "Second"\nsummary: "What is said."\n---\nText.',
  ];
  const navigation = [{ title: "All", pages: ["a", "b", "gone"] }];
  const build = (features) => buildSite({ ...site, sources, settings: { ...settings, navigation, features } });
  const full = build(["table_of_contents", "previous_next", "heading_anchors"]);
  assert.match(full.get("/"), /class="contents"[\s\S]*href="#one"[\s\S]*rel="next" href="\/b\/"/);
  assert.match(full.get("/b/"), /rel="prev" href="\/"/);
  assert.match(full.get("/b/"), /<meta name="description" content="What is said.">/);
  const bare = build([]);
  assert.doesNotMatch(bare.get("/"), /class="contents"|rel="next"|class="anchor"/);
  assert.ok(full.get("/sitemap.xml").includes(`<loc>${settings.address}/b/</loc>`));
});

test("the search finds pages by their words, titles first", () => {
  const index = JSON.parse(files.get(settings.searchIndex));
  assert.deepEqual(index.map(({ path }) => path), pages.map(({ path }) => path));
  for (const { title, path } of pages) {
    const found = rankPages(index, title);
    assert.ok(found.some(({ entry }) => entry.path === path), title);
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
        assert.ok(contrast(colour(name), colour(behind)) >= settings.checks.contrast, `${name} on ${behind}`);
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
