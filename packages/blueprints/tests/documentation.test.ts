// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { contrast } from "../src/kit/colour.ts";
import {
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { product } from "./support/documentation-documents.ts";
import { expectWellFormed, expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { runIn, startProject } from "./support/run-project.ts";

const example = await readExample("documentation");
const booklet = documentOf("documentation", {
  phases: { words: { description: "What is told." }, binding: { depends_on: ["words"] } },
  tasks: [
    { id: "heron", title: "The heron", phase: "words" },
    { id: "coot", title: "The coot", phase: "words", depends_on: ["heron"] },
    { id: "cover", title: "Cover", phase: "binding" },
  ],
  scripts: { build: "cat heron.md coot.md cover.md > booklet.txt", test: "grep -q heron booklet.txt" },
});

const siteDocument = (fields: Record<string, unknown>) =>
  documentOf("documentation", { id: "small-site", name: "Small site", description: "Pages.", ...fields });

test("the example is healthy while it is served, and its search is a script", { tags: "long" }, async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const address = await startProject(folder, built.scripts["start"]!);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
  expect((await runIn(folder, `PORT=1 ${built.scripts["health_check"]}`)).exitCode).toBe(1);
  const script = await fetch(`${address}/assets/search.js`);
  expect(script.headers.get("content-type")).toContain("javascript");
});

test("two versions, two languages, an API reference, search, copying, redirects and a 404 page are all built", async () => {
  const built = await buildDocument(product);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(6);
  const page = async (path: string) => (await fetch(address + path)).text();
  const old = await page("/1.0/install/");
  expect(old).toContain('<a href="/install/">2.0</a>');
  expect(old).toContain("Supported until May.");
  expect(await page("/1.0/")).toContain('href="/1.0/install/"');
  const reference = await page("/1.0/api/");
  expect(reference).toContain("<code>url</code></td><td><code>string</code></td><td>yes</td>");
  expect(reference).not.toContain("stream(name)");
  expect(await page("/api/")).toContain("stream(name)");
  expect(await page("/de/")).toMatch(/<html lang="de">[\s\S]*Suche[\s\S]*Anfang[\s\S]*Weiter: /);
  expect(await page("/1.0/de/")).toContain("Supported until May.");
  expect(await page("/1.0/search-index.json")).toContain("harbour@1");
  expect(await page("/de/search-index.json")).toContain("Weiter mit Installation.");
  const moved = await fetch(`${address}/setup/`, { redirect: "manual" });
  expect([moved.status, moved.headers.get("location")]).toEqual([301, "/install/"]);
  expect(await page("/install/")).toContain("assets/main.js");
});

test("a page in another language or version is where the page with its id is", async () => {
  const content = [
    { id: "install", language: "de", title: "Einbau", body: "So." },
    { id: "start", path: "/", title: "Start", body: "See [install](/set-up/)." },
    { id: "start", language: "de", title: "Anfang", body: "Siehe [Einbau](/set-up/)." },
    { id: "install", path: "/set-up/", title: "Install", body: "Run it." },
  ];
  const fields = { languages: [{ code: "de" }], content };
  const built = await buildDocument(documentOf("documentation", fields));
  expect(unmetOf(built)).toEqual([]);
  const pathIn = (file: string) => /^path: "(.+)"$/m.exec(built.files.get(file)!.text)?.[1];
  for (const folder of ["content", "content/de"]) {
    expect(pathIn(`${folder}/start.md`)).toBe("/");
    expect(pathIn(`${folder}/install.md`)).toBe("/set-up/");
  }
});

test("pages as a map, a layout of one's own and other limits are honoured", { tags: "long" }, async () => {
  const built = await buildDocument(
    siteDocument({
      site: {
        language: "de",
        theme: { accent: "#ff0", dark_mode: false, width_characters: 50, min_contrast: 7 },
        search: { index: "/find.json", fields: ["title"] },
        features: [],
      },
      texts: { search: "Suche" },
      pages: {
        index: "# Anfang\n\n> Ein *Zitat*.\n\n- eins\n- zwei, siehe [mehr](mehr/)",
        mehr: { title: "Mehr & <b>mehr</b>", body: "[zurück](/) und [außerhalb](https://example.org)" },
      },
      scripts: { start: "node server.js", test: "npm run check" },
      acceptance: {
        tests: [{ file: "checks/*.test.mjs" }],
        http_endpoints: [
          { path: "/", response_contains: ["<blockquote>", "Anfang", "Suche", '<html lang="de">'] },
          { path: "/mehr/", response_contains: "&#60;b&#62;" },
          { path: "/mehr/", method: "POST", status: 405 },
          { path: "/find.json" },
        ],
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  const accent = /--accent: (#\w+)/.exec(built.files.get("assets/theme.css")!.text)![1]!;
  expect(contrast(accent, "#ffffff")).toBeGreaterThanOrEqual(7);
  const folder = await writeOut(built);
  const tested = await runIn(folder, "npm run check");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  const address = await startProject(folder, "node server.js");
  expect(await checkLines(built, folder, address)).toBe(4);
});

test("a link that leads nowhere is reported beforehand, and fails the build and the tests of the site", {
  tags: "long",
}, async () => {
  const built = await buildDocument(
    siteDocument({
      site: { external_links: false },
      content: [
        { id: "start", path: "/", body: "[here](/nowhere/) and [there](#nothing), [out](https://example.org)" },
        { id: "far", body: "Fine." },
      ],
      redirects: { "/old/": "/gone/" },
    }),
  );
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual([
    "/content/0",
    "/redirects",
    "/content/0",
    "/content/0",
  ]);
  const folder = await writeOut(built);
  const made = await runIn(folder, "npm run build");
  expect(made.exitCode).toBe(1);
  for (const words of [
    "/: /nowhere/ leads nowhere",
    "/: #nothing leads nowhere",
    "https://example.org is on another host",
  ])
    expect(made.stderr).toContain(words);
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("nothing of acceptance gets into the site", async () => {
  const content = [{ id: "start", path: "/", body: "Hello." }];
  const plain = await buildDocument(siteDocument({ content, acceptance: { http_endpoints: [{ path: "/" }] } }));
  const asking = await buildDocument(
    siteDocument({
      content,
      acceptance: {
        http_endpoints: [{ path: "/pricing/" }, { path: "/", response_contains: "Welcome" }],
        links: { to_other_hosts_max: 0 },
        accessibility: { contrast_ratio_min: 9, page_language: "fr" },
        commands: ["make docs"],
      },
    }),
  );
  expect(asking.files).toEqual(plain.files);
  expect(
    unmetOf(asking)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual([
    "/acceptance/accessibility",
    "/acceptance/commands/0",
    "/acceptance/http_endpoints/0",
    "/acceptance/http_endpoints/1",
  ]);
});

test("what is asked for and cannot be is reported, and the site is sound without it", { tags: "long" }, async () => {
  const built = await buildDocument(
    siteDocument({
      stack: { generator: "docusaurus" },
      site: { analytics: true },
      versions: [{ name: "2", current: true }, { name: "1", current: true }, { name: "0" }],
      languages: [{ code: "fr" }],
      navigation: [{ title: "All", pages: ["start", "gone"] }],
      content: [
        { id: "start", path: "/", body: "Hello.", author: "Ada", versions: ["2", "3"] },
        { id: "empty", versions: ["1"] },
        { id: "lost", body: "x", language: "es" },
      ],
      api: [{ description: "What?" }, { name: "go", colour: "red", versions: ["9"] }],
      redirects: { "/": "/x/", old: "/" },
    }),
  );
  expect(
    unmetOf(built)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual(
    [
      "/api/0",
      "/api/1/colour",
      "/api/1/versions/0",
      "/content/0/author",
      "/content/0/versions/1",
      "/content/1",
      "/content/2",
      "/content/2/language",
      "/languages/0",
      "/navigation/0/pages/1",
      "/redirects/old",
      "/redirects/~1",
      "/site/analytics",
      "/stack/generator",
      "/versions/1/current",
      "/versions/2",
    ].toSorted(),
  );
  const readme = built.files.get("README.md")!.text;
  for (const { pointer } of unmetOf(built)) expect(readme).toContain(pointer);
  const tested = await runIn(await writeOut(built), "npm run build && npm test");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
});

test("a site whose pages are all of another version or language has a start that says what it is", async () => {
  const built = await buildDocument(
    siteDocument({
      versions: [{ name: "2" }, { name: "1" }],
      content: [
        { id: "start", path: "/", body: "Old.", versions: ["1"] },
        { body: "x", versions: [] },
      ],
    }),
  );
  expect(unmetOf(built).map(({ pointer }) => pointer)).toEqual(["/content/1", "/content"]);
  expect(built.files.get("content/index.md")!.text).toContain("Pages.");
  expect(JSON.parse(built.files.get("site.json")!.text).editions).toMatchObject([{ prefix: "" }, { prefix: "/1" }]);
});

test("a misspelled key or word of the site is found where it stands, with what was meant", () => {
  const text = `spec_version: "1.0.0"
id: wrong
name: Wrong
description: Wrong.
outcome_type: documentation
stack: {}
acceptance: {}
site: { tittle: Wrong, features: [copy_button] }
contnet: []
versions: [{ name: 2.0 }]
`;
  const found = parseSpec(text).diagnostics.map(({ line, code, suggestion }) => [line, code, suggestion]);
  expect(found).toEqual([
    [8, "misspelled_key", "Did you mean 'title'?"],
    [8, "not_allowed", "Did you mean 'copy_buttons'?"],
    [9, "misspelled_key", "Did you mean 'content'?"],
    [10, "wrong_type", 'Quote it: "2.0".'],
  ]);
});

test("a booklet without text gets pages that say so, where its own scripts want them", { tags: "long" }, async () => {
  const built = await buildDocument(booklet);
  expect(unmetOf(built).map(({ pointer }) => pointer)).toContain("/tasks/1");
  expect(built.files.get("heron.md")!.text).toContain("This page has not been written yet.");
  const folder = await writeOut(built);
  for (const script of ["build", "test"]) expect((await runIn(folder, built.scripts[script]!)).exitCode).toBe(0);
  expect((await runIn(folder, "test -s cover.md && npm test")).exitCode).toBe(0);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  for (const text of [example, booklet]) await expectSameBytes(text);
});

test("a mistake in the site makes its own tests fail", { tags: "long" }, async () => {
  const folder = await writeOut(await buildDocument(example));
  for (const [path, from, to, name] of [
    ["content/recipes.md", "/freshness/#what-no-cache-means", "/freshness/#what-no-store-means", "site"],
    ["src/inline.js", "[&<>\"']", "[&>\"']", "markdown"],
  ] as const) {
    const text = await readFile(join(folder, path), "utf8");
    expect(text).toContain(from);
    await writeFile(join(folder, path), text.replace(from, to));
    expect((await runIn(folder, `node --test test/${name}.test.js`)).exitCode).not.toBe(0);
    await writeFile(join(folder, path), text);
    expect((await runIn(folder, `node --test test/${name}.test.js`)).exitCode).toBe(0);
  }
});

test("whatever texts a document holds, its site is well formed and its pages hold no foreign markup", async () => {
  const documents = [example, product].map((text) => parse(text));
  await expectWellFormedWith(
    ([first], choose) => {
      const document = documents[first!.length % 2];
      const free = [
        "title",
        "summary",
        "body",
        "licence",
        "texts",
        "name",
        "signature",
        "description",
        "example",
        "since",
      ];
      const change = (value: unknown): unknown => {
        if (Array.isArray(value)) return value.map(change);
        if (typeof value !== "object" || value === null) return value;
        const entries = Object.entries(value).map(([key, member]) =>
          // Names of versions have a form of their own.
          free.includes(key) && member !== "1.0" && member !== "2.0"
            ? [key, replaceTexts(member, choose)]
            : [key, change(member)],
        );
        return Object.fromEntries(entries);
      };
      const { site, navigation, content, api, languages } = document;
      const changed = change({ site, navigation, content, api, languages }) as object;
      return JSON.stringify({ ...document, ...changed, name: choose("a") || "a" });
    },
    { numRuns: 60 },
  );
});

test("long and tangled Markdown is rendered without delay", { tags: "long" }, async () => {
  const bodies = [
    "__a ".repeat(20_000),
    "[".repeat(50_000),
    ">".repeat(50_000),
    "- ".repeat(20_000),
    "`a``".repeat(20_000),
    "|".repeat(50_000),
  ];
  // Processor time: how long it takes by the clock depends on what else runs.
  const before = process.cpuUsage();
  await buildDocument(siteDocument({ content: bodies.map((body) => ({ body: `${body}\n|-|\n${body}` })) }));
  expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000);
});

test("a site made from hostile texts builds, and its tests pass", { tags: "long" }, async () => {
  const hostile = [
    "`$",
    "{process.exit(7)}` '\"\\ */ </script><script>alert(1)</script>\u2028\n---\n```\n__proto__ ../.. 🦆",
  ].join("");
  const built = await buildDocument(
    siteDocument({
      name: hostile,
      description: hostile,
      site: { title: hostile, licence: hostile, not_found: { title: hostile, body: hostile } },
      texts: { search: hostile, copy: hostile, api: hostile, nothing_found: hostile },
      versions: [{ name: "2" }, { name: "1", notice: hostile }],
      api: [
        {
          name: hostile,
          description: hostile,
          parameters: [{ name: hostile, type: hostile, default: hostile, description: hostile }],
          returns: hostile,
          example: hostile,
          example_language: hostile,
          since: hostile,
          deprecated: hostile,
        },
      ],
      redirects: { [hostile]: hostile, "/away/": "javascript:alert(1)" },
      navigation: [{ title: hostile, pages: [hostile] }],
      content: [
        { id: hostile, path: "/", title: hostile, summary: hostile, body: `${hostile}\n# ${hostile}` },
        { id: hostile, path: "/assets/style.css", title: hostile, body: '[x](javascript:alert(1)) ![y]("onerror=)' },
        { id: "health", path: "/health", body: "Well." },
      ],
    }),
  );
  expectWellFormed(built);
  const folder = await writeOut(built);
  const tested = await runIn(folder, "npm run build && npm test");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  expect(await readFile(join(folder, "dist/index.html"), "utf8")).not.toMatch(/<script>alert|href="javascript/);
});
