import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
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

test("the example becomes a site that is served, searched and without broken links", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(5);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
  expect((await runIn(folder, `PORT=1 ${built.scripts["health_check"]}`)).exitCode).toBe(1);
  const script = await fetch(`${address}/assets/search.js`);
  expect(script.headers.get("content-type")).toContain("javascript");
});

test("pages as a map, a layout of one's own and other limits are honoured", async () => {
  const built = await buildDocument(
    siteDocument({
      site: {
        language: "de",
        theme: { accent: "#ff0", dark_mode: false, width_characters: 50 },
        search: { index: "/find.json", fields: ["title"] },
        features: [],
      },
      content: {
        index: "# Anfang\n\n> Ein *Zitat*.\n\n- eins\n- zwei, siehe [mehr](mehr/)",
        mehr: { title: "Mehr & <b>mehr</b>", body: "[zurück](/) und [außerhalb](https://example.org)" },
      },
      scripts: { start: "node server.js", test: "npm run check" },
      acceptance: {
        tests: [{ file: "checks/*.test.mjs" }],
        http_endpoints: [
          { path: "/", response_contains: ["<blockquote>", "Anfang"] },
          { path: "/mehr/", response_contains: "&#60;b&#62;" },
          { path: "/mehr/", method: "POST", status: 405 },
          { path: "/find.json" },
        ],
        accessibility: { page_language: "de", contrast_ratio_min: 7 },
        links: { to_other_hosts_max: 1 },
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

test("what is asked for and not in the text is reported, and the site is sound without it", async () => {
  const built = await buildDocument(
    siteDocument({
      stack: { generator: "docusaurus" },
      site: { features: ["comments"], analytics: true },
      navigation: [{ title: "All", pages: ["start", "gone"] }],
      content: [
        { id: "start", path: "/", body: "[here](/nowhere/) and [there](#nothing), [out](https://example.org)" },
        { id: "empty", path: "/../etc" },
      ],
      acceptance: {
        http_endpoints: [{ path: "/pricing/" }, { path: "/", response_contains: "Welcome" }],
        links: { to_other_hosts_max: 0 },
        readability: { grade_max: 8 },
        commands: ["make docs"],
      },
    }),
  );
  expect(
    unmetOf(built)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual(
    [
      "/acceptance/commands/0",
      "/acceptance/http_endpoints/0",
      "/acceptance/http_endpoints/1",
      "/acceptance/links",
      "/acceptance/readability",
      "/content/0",
      "/content/0",
      "/content/1",
      "/content/1/path",
      "/navigation/0/pages/1",
      "/site/analytics",
      "/site/features/0",
      "/stack/generator",
    ].toSorted(),
  );
  expect(built.files.get("README.md")!.text).toContain("## Not built");
  const folder = await writeOut(built);
  const tested = await runIn(folder, "npm run build && npm test");
  expect(tested.exitCode, tested.stdout + tested.stderr).toBe(0);
  expect(tested.stderr).toContain("/nowhere/ leads nowhere");
});

test("a booklet without text gets pages that say so, where its own scripts want them", async () => {
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

test("a mistake in the site makes its own tests fail", async () => {
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
  const document = parse(example);
  const { site, navigation, content } = document;
  await expectWellFormedWith(
    (_, choose) => {
      const changed = replaceTexts({ site, navigation, content }, choose) as object;
      return JSON.stringify({ ...document, ...changed, name: choose("a") });
    },
    { numRuns: 60 },
  );
});

test("long and tangled Markdown is rendered without delay", async () => {
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

test("a site made from hostile texts builds, and its tests pass", async () => {
  const hostile = [
    "`$",
    "{process.exit(7)}` '\"\\ */ </script><script>alert(1)</script>\u2028\n---\n```\n__proto__ ../.. 🦆",
  ].join("");
  const built = await buildDocument(
    siteDocument({
      name: hostile,
      description: hostile,
      site: {
        language: hostile,
        licence: hostile,
        theme: { accent: hostile, font: hostile },
        search: { index: hostile },
      },
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
