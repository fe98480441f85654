import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { openPage } from "./support/browser.ts";
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
import { expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn, startProject } from "./support/run-project.ts";

const example = await readExample("mobile-app");

const appDocument = (fields: Record<string, unknown>) =>
  documentOf("mobile-app", { id: "small-app", name: "Small app", description: "An app.", ...fields });

test("the example becomes an app that can be installed, works offline, and is served as promised", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const { coverage } = await testWithCoverage(folder);
  expect(coverage).toBeGreaterThanOrEqual(0.85);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(5);
  const worker = await (await fetch(`${address}/sw.js`)).text();
  for (const path of ["/", "/plants", "/plant", "/manifest.webmanifest"]) expect(worker).toContain(`  "${path}"`);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
});

test("in a real browser the thirsty plant is shown, and nothing goes wrong", async ({ skip }) => {
  const built = await buildDocument(example);
  const folder = await writeOut(built);
  const address = await startProject(folder, built.scripts["start"]!);
  const flags = "--headless --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom";
  const { exitCode, stdout } = await runIn(
    folder,
    `chromium ${flags} --user-data-dir=${folder}/profile ${address}/ 2>/dev/null`,
  );
  if (exitCode === 127) skip();
  expect(stdout).toContain("Fernando the fern");
  expect(stdout).not.toContain("Aloe");
  expect(stdout).toContain("Watered");
});

test("a real browser finds nothing that keeps the app from being installed", async ({ skip }) => {
  const built = await buildDocument(example);
  const address = await startProject(await writeOut(built), built.scripts["start"]!);
  const page = await openPage(`${address}/`);
  if (page === undefined) return skip();
  await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
  expect(await page.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
  const { errors } = (await page.send("Page.getAppManifest")) as { errors: unknown };
  expect(errors).toEqual([]);
});

test("a document that says nothing becomes an app of one list and one form", async () => {
  const built = await buildDocument(appDocument({}));
  expect(unmetOf(built)).toEqual([expect.objectContaining({ pointer: "/description" })]);
  const folder = await expectTestsPass(built);
  const address = await startProject(folder, built.scripts["start"]!);
  for (const path of ["/", "/item-form"]) expect((await fetch(address + path)).status).toBe(200);
});

test("several things to keep, every kind of field, dark colours and a layout of one's own are honoured", async () => {
  const built = await buildDocument(
    appDocument({
      data_model: {
        run: {
          fields: {
            day: { type: "date", required: true, default: "today" },
            km: { type: "number", min: 0.1, required: true },
            felt: { type: "enum", values: ["good", "bad"] },
            race: "boolean",
          },
          derived: { recent: { type: "boolean", true_when: [{ field: "day", at_least: { days_ago: 7 } }] } },
          seed: [{ day: { days_ago: 1 }, km: 5, felt: "good", race: true }],
        },
        shoe: { fields: { name: { type: "string", required: true } } },
      },
      screens: [
        {
          id: "week",
          kind: "list",
          of: "run",
          where: { recent: true },
          tap: { opens: "edit" },
          swipe_right: { label: "Bad", sets: { felt: "bad" } },
        },
        { id: "edit", kind: "form", of: "run" },
        { id: "shoes", path: "/shoes", kind: "list", of: "shoe" },
      ],
      install: { theme_color: "#FD0", background_color: "#101418", icon: { shape: "circle" } },
      scripts: { start: "node index.js" },
      acceptance: {
        tests: [
          { file: "checks/*.test.js", type: "unit" },
          { file: "e2e/**/*.test.js", type: "e2e" },
        ],
        http_endpoints: [
          { path: "/shoes" },
          { path: "/edit" },
          { path: "/icons/icon-512.png" },
          { path: "/x", status: 404 },
        ],
        offline: { precached: ["/shoes"] },
        touch: { target_min_px: 56, contrast_ratio_min: 7 },
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  const folder = await expectTestsPass(built);
  const address = await startProject(folder, "node index.js");
  expect(await checkLines(built, folder, address)).toBe(4);
});

test("what is not known of apps is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    appDocument({
      stack: { framework: "react-native", platform: "ios" },
      data_model: {
        pin: { stored: "cloud", fields: { at: { type: "location" } }, derived: { near: { from: "gps" } } },
      },
      screens: [
        { id: "map", kind: "map", of: "pin" },
        { id: "pins", kind: "list", of: "pin", order_by: "distance" },
      ],
      navigation: { kind: "drawer" },
      install: { theme_color: "reddish" },
      acceptance: {
        http_endpoints: [{ path: "/api/pins" }],
        offline: { precached: ["/map"] },
        push_notifications: true,
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual([
    "/acceptance/http_endpoints/0",
    "/acceptance/offline/precached",
    "/acceptance/push_notifications",
    "/data_model/pin/derived",
    "/data_model/pin/fields/at",
    "/data_model/pin/stored",
    "/install/theme_color",
    "/navigation/kind",
    "/screens/0",
    "/screens/1/order_by",
    "/stack/framework",
    "/stack/platform",
  ]);
  for (const pointer of pointers) expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = appDocument({ phases: { one: { features: ["Lists"] }, two: { depends_on: ["one"] } } });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the app's tests notice when it breaks", async () => {
  const folder = await writeOut(await buildDocument(example));
  const file = join(folder, "app/records.js");
  await writeFile(file, (await readFile(file, "utf8")).replace("conditions.every", "conditions.some"));
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("whatever texts a document has, every file of the app is well formed", async () => {
  const { data_model, screens, navigation, install } = parse(example);
  await expectWellFormedWith(
    ([name, description], choose) =>
      appDocument({
        name,
        description,
        ...(replaceTexts({ data_model, screens, navigation, install }, choose) as object),
      }),
    { numRuns: 60 },
  );
});

test("an app with hostile texts still passes its tests", async () => {
  const nasty = ["</script><script>alert(1)</script>", "a\u2028b\n'\"\\", ["$", "{x}`"].join(""), "__proto__"];
  const { screens } = parse(example);
  const titled = screens.map((screen: object, index: number) => ({ ...screen, title: nasty[index], empty: nasty[0] }));
  const { data_model } = parse(example);
  data_model.plant.seed[0].name = nasty[0];
  data_model.plant.fields.name.label = nasty[1];
  await expectTestsPass(await buildDocument(appDocument({ name: nasty[0], data_model, screens: titled })));
});
