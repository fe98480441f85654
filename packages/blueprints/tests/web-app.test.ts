import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { openPage } from "./support/browser.ts";
import { buildDocument, expectSameBytes, readExample, unmetOf, writeOut } from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { runIn, startProject } from "./support/run-project.ts";

const toolshed = await readExample("web-app");
const beacon = await readExample("phases-and-environments");

function documentWith(more: object): string {
  const base = {
    spec_version: "1.0.0",
    id: "site",
    name: "Site",
    description: "A site.",
    outcome_type: "web-app",
    stack: {},
    acceptance: {},
  };
  return stringify({ ...base, ...more });
}

/** No pages and no data model: the pages are the usual ones. */
const bare = documentWith({
  pwa: { service_worker: true },
  acceptance: {
    http_endpoints: [
      { path: "/", response_contains: "Add a recipe" },
      { path: "/about", response_contains: ["Who we are", "<html"] },
      { path: "/recipes/new", response_contains: "<form" },
    ],
    integration_tests: [
      {
        name: "A recipe is kept",
        steps: [
          'POST /api/recipes {"title": "Soup", "minutes": 20, "vegan": true} → 201',
          "GET /recipes/{id} → 200",
          "GET /api/recipes?title=Soup → 200",
        ],
      },
    ],
  },
});

const nothing = documentWith({ name: "", id: "empty" });

describe("what is built works", () => {
  test("the example: its own tests pass and cover it, and every request is answered as written", async () => {
    const built = await buildDocument(toolshed);
    const folder = await writeOut(built);
    expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    const page = await openPage(url);
    await page?.evaluate("navigator.serviceWorker.ready.then(() => true)");
    if (page !== undefined)
      expect(await page.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
    expect(unmetOf(built)).toEqual([]);
  });

  test("a form that a real browser sends is taken", async ({ skip }) => {
    const built = await buildDocument(bare);
    const url = await startProject(await writeOut(built), built.scripts["start"]!);
    const page = await openPage(`${url}/recipes/new`);
    if (page === undefined) return skip("Chromium is not installed.");
    await page.evaluate(`for (const [name, value] of Object.entries({ title: "Soup", minutes: "20" }))
      document.querySelector("[name=" + name + "]").value = value;
    document.querySelector("[name=title]").form.requestSubmit()`);
    const shown = () => page.evaluate("document.body?.innerText ?? ''");
    await expect.poll(shown).toContain("Soup");
    expect(await (await fetch(`${url}/api/recipes?title=Soup`)).text()).toContain("Soup");
  });

  test("a document in phases: every request is answered as written, and what is prose is reported", async () => {
    const more = "scripts: { deploy: npm run deploy, rollback: npm run rollback, ";
    const built = await buildDocument(beacon.replace("scripts: { ", more));
    const folder = await writeOut(built);
    expect(await runIn(folder, "node --test test/integration/acceptance-*")).toMatchObject({ exitCode: 0 });
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    const unmet = unmetOf(built).map(({ pointer }) => pointer);
    expect(unmet.filter((pointer) => !pointer.includes("/features/"))).toEqual([
      "/scripts/deploy",
      "/scripts/rollback",
    ]);
  });

  test.each([
    ["a document without pages gets the usual ones", bare],
    ["a document that asks for nothing gets a page to start from", nothing],
  ])("%s", async (_, text) => {
    const built = await buildDocument(text);
    const folder = await writeOut(built);
    expect(await runIn(folder, "node --test test/e2e/* test/integration/resources.test.js")).toMatchObject({
      exitCode: 0,
    });
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect((await fetch(url)).status).toBe(200);
  });

  test("a program that is broken fails its own tests", async () => {
    const built = await buildDocument(toolshed);
    const folder = await writeOut(built);
    const place = join(folder, "src/html.js");
    await writeFile(place, (await readFile(place, "utf8")).replace(/\.replace\(.*\);/, ";"));
    expect(
      (await runIn(folder, "node --test test/unit/html.test.js test/integration/pages.test.js")).exitCode,
    ).not.toBe(0);
  });
});

test.each([toolshed, beacon, bare, nothing])(
  "the same document gives the same bytes, whatever the order of tasks",
  expectSameBytes,
);

test("a page, a colour or a check that is not known is reported, with its position", async () => {
  const built = await buildDocument(
    documentWith({
      stack: { frontend: "react" },
      data_model: { note: { path: "/api/notes", fields: { text: { type: "text" } } } },
      pages: [
        { path: "/", kind: "map", of: "note" },
        { path: "/x", kind: "list", of: "ghost" },
        { path: "/n/{id}", kind: "list", of: "note" },
        {
          path: "/l",
          kind: "list",
          of: "note",
          columns: ["text", "size"],
          actions: [{ label: "Print", does: "print" }],
        },
      ],
      theme: { accent: "green", text: "#ffffff", background: "#ffffff" },
      acceptance: { accessibility: { contrast_ratio_min: 7, screen_reader: true } },
    }),
  );
  expect(
    unmetOf(built)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual(
    [
      "/acceptance/accessibility/contrast_ratio_min",
      "/acceptance/accessibility/screen_reader",
      "/pages/0/kind",
      "/pages/1",
      "/pages/2/path",
      "/pages/3/actions/0",
      "/pages/3/columns",
      "/stack/frontend",
      "/theme/accent",
      "/theme/text",
    ].toSorted(),
  );
});

const hostile = fc
  .oneof(
    fc.constantFrom(
      '"',
      "`",
      `\${process.exit()}`,
      "</script>",
      "\n",
      "\u2028",
      "../../etc",
      "🦔",
      "-->",
      "a".repeat(300),
    ),
    fc.string(),
  )
  .filter((text) => !["__proto__", "constructor", "prototype"].includes(text));

test("whatever names and texts a document has, its files are whole", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, async (name, field, value) => {
      const built = await buildDocument(
        documentWith({
          name,
          description: value,
          theme: { accent: value, font: value },
          pwa: { manifest: true, short_name: name },
          data_model: Object.fromEntries([
            [
              name,
              {
                path: "/api/things",
                title_field: field,
                fields: Object.fromEntries([[field, { type: "enum", values: [value], label: name }]]),
              },
            ],
          ]),
          pages: [
            { path: "/", kind: "list", of: name, title: value, intro: field, actions: [{ label: value, to: "/new" }] },
            { path: "/new", kind: "form", of: name, submit: value },
          ],
        }),
      );
      for (const [path, { text }] of built.files) {
        expect(path).toMatch(/^[\w./%-]+$/);
        if (path.endsWith(".json") || path.endsWith(".webmanifest")) JSON.parse(text);
        if (path.endsWith(".css")) expect(text.split("{").length).toBe(text.split("}").length);
      }
    }),
    { numRuns: 40 },
  );
});
