// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { openPages } from "./support/browser.ts";
import {
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { expectWellFormedWith, replaceTextsOf } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn, startProject } from "./support/run-project.ts";

const openPage = openPages();

const example = await readExample("mobile-app");

const appDocument = (fields: Record<string, unknown>) =>
  documentOf("mobile-app", { id: "small-app", name: "Small app", description: "An app.", ...fields });

test("the example keeps its pages for when it is offline", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const address = await startProject(folder, built.scripts["start"]!);
  const worker = await (await fetch(`${address}/sw.js`)).text();
  for (const path of ["/", "/plants", "/plant", "/manifest.webmanifest"]) expect(worker).toContain(`  "${path}"`);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
});

test("in a real browser the thirsty plant is shown, and nothing goes wrong", { tags: "long" }, async ({ skip }) => {
  const built = await buildDocument(example);
  const folder = await writeOut(built);
  const address = await startProject(folder, built.scripts["start"]!);
  const page = await openPage(`${address}/`);
  if (page === undefined) return skip();
  const shown = () => page.evaluate("document.documentElement.outerHTML");
  await expect.poll(shown).toContain("Fernando the fern");
  expect(await shown()).not.toContain("Aloe");
  expect(await shown()).toContain("Watered");
});

test("a real browser finds nothing that keeps the app from being installed", { tags: "long" }, async ({ skip }) => {
  const built = await buildDocument(example);
  const address = await startProject(await writeOut(built), built.scripts["start"]!);
  const page = await openPage(`${address}/`);
  if (page === undefined) return skip();
  await page.evaluate("navigator.serviceWorker.ready.then(() => true)");
  expect(await page.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
  const { errors } = (await page.send("Page.getAppManifest")) as { errors: unknown };
  expect(errors).toEqual([]);
});

test("a document that says nothing becomes an app of one list and one form", { tags: "long" }, async () => {
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
          computed: { recent: "day >= today - 7" },
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
      theme: { target_px: 56 },
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
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  expect(built.files.get("app/style.css")!.text).toContain("--target: 56px");
  const folder = await expectTestsPass(built);
  const address = await startProject(folder, "node index.js");
  expect(await checkLines(built, folder, address)).toBe(4);
});

const habits = {
  data_model: {
    habit: {
      description: "What one wants to do every day.",
      fields: {
        name: { type: "string", required: true, unique: true },
        goal: { type: "integer", default: 30, min: 1 },
        active: { type: "boolean", default: true },
      },
      computed: {
        streak: "streak(checkin.day)",
        done_today: "count(checkin where day == today) > 0",
        progress: { formula: "100 * streak / goal", decimals: 0 },
      },
      seed: [{ name: "Read" }, { name: "Run", goal: 10 }],
    },
    checkin: {
      belongs_to: "habit",
      fields: { day: { type: "date", required: true, default: "today" } },
      rules: [{ unique: ["habit_id", "day"], message: "is done already" }, "day <= today"],
      seed: [
        { habit_id: "Read", day: { days_ago: 1 } },
        { habit_id: 1, day: { days_ago: 2 } },
      ],
    },
    reminder: {
      fields: {
        text: { type: "string", required: true },
        at: { type: "time", required: true, default: "08:00" },
        habit: { type: "reference", on_delete: "cascade" },
        done_on: { type: "date", hidden: true },
      },
      seed: [{ text: "Shoes by the door", at: "07:30", habit: "Run" }],
    },
  },
  screens: [
    {
      ...{ id: "today", title: "Today", of: "habit", where: "active and not done_today", row: { detail: "streak" } },
      ...{ tap: { label: "Done", adds: { checkin: { day: "today" } } }, empty: "All done." },
    },
    {
      id: "habits",
      of: "habit",
      order_by: "-streak",
      row: { detail: ["streak", "progress"] },
      tap: { opens: "habit" },
    },
    {
      ...{ id: "reminders", title: "Reminders", of: "reminder", where: "done_on is empty or done_on < today" },
      ...{ order_by: "at", row: { title: "text", detail: ["at", "habit"] }, tap: { opens: "reminder" } },
      swipe_left: { label: "Done", sets: { done_on: "today" } },
    },
    { id: "numbers", kind: "summary", figures: { "Best streak": "max(habit.streak)", "In all": "count(checkin)" } },
    { id: "habit", kind: "form", of: "habit" },
    { id: "reminder", kind: "form", of: "reminder" },
  ],
  navigation: { tabs: ["today", "habits", "reminders", "numbers"], add_button: "habit" },
  theme: "dark",
};

test("in a real browser habits have streaks, and a tap adds to them", { tags: "long" }, async ({ skip }) => {
  const built = await buildDocument(appDocument(habits));
  expect(unmetOf(built)).toEqual([]);
  const folder = await expectTestsPass(built);
  const page = await openPage(`${await startProject(folder, built.scripts["start"]!)}/`);
  if (page === undefined) return skip();
  const text = (selector: string) => page.evaluate(`document.querySelector('${selector}').innerText`);
  await expect.poll(() => text("main")).toMatch(/Read\s+Streak 2\s+Done\s+Run\s+Streak 0\s+Done/);
  await page.evaluate("document.querySelector('[data-action=tap]').click()");
  await expect.poll(() => text("main")).not.toContain("Read");
  await expect.poll(() => text("#status")).toBe("Done: Read");
  await page.evaluate("document.querySelectorAll('nav a')[1].click()");
  await expect.poll(() => text("main")).toMatch(/^Read\s+Streak 3 · Progress 10\s+Run/);
  await page.evaluate("document.querySelectorAll('nav a')[2].click()");
  await expect.poll(() => text("main")).toMatch(/Shoes by the door\s+07:30 · Run/);
  expect(await page.evaluate("document.querySelector('nav .add').getAttribute('href')")).toBe("/reminder");
  await page.evaluate("document.querySelectorAll('nav a')[3].click()");
  await expect.poll(() => text("main")).toMatch(/Best streak\s+3\s+In all\s+3/);
  expect(await page.evaluate("getComputedStyle(document.body).colorScheme")).toBe("dark");
});

test("what is not known of apps is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    appDocument({
      stack: { framework: "react-native", platform: "ios" },
      data_model: {
        pin: {
          stored: "cloud",
          fields: { at: { type: "object" }, name: "string" },
          computed: { near: "gps < 5" },
          seed: [{ name: 5 }],
        },
      },
      screens: [
        { id: "map", kind: "list", of: "place" },
        { id: "sums", kind: "summary", figures: { All: "count(visit)" } },
        {
          ...{ id: "pins", kind: "list", of: "pin", order_by: "distance", where: "name", pull: "refresh" },
          ...{ tap: { opens: "nowhere" }, swipe_left: { sets: { name: 3 } }, swipe_right: { adds: { visit: {} } } },
        },
      ],
      navigation: { kind: "drawer", tabs: ["pins", "map"], add_button: "pins" },
      sync: { every: "hour" },
      acceptance: {
        http_endpoints: [{ path: "/api/pins" }],
        offline: { precached: ["/map"] },
        push_notifications: true,
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect([...new Set(pointers)].toSorted()).toEqual([
    "/acceptance/http_endpoints/0",
    "/acceptance/offline",
    "/acceptance/push_notifications",
    "/data_model/pin/computed/near",
    "/data_model/pin/fields/at",
    "/data_model/pin/seed/0",
    "/data_model/pin/stored",
    "/navigation/add_button",
    "/navigation/kind",
    "/navigation/tabs/1",
    "/screens/0",
    "/screens/1/figures/All",
    "/screens/2/order_by",
    "/screens/2/pull",
    "/screens/2/swipe_left",
    "/screens/2/swipe_left/sets",
    "/screens/2/swipe_right",
    "/screens/2/swipe_right/adds/visit",
    "/screens/2/tap/opens",
    "/screens/2/where",
    "/stack/framework",
    "/stack/platform",
    "/sync",
  ]);
  for (const pointer of pointers.filter((one) => !one.startsWith("/acceptance")))
    expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("only what the document declares is built: other expected values give the same bytes", async () => {
  const { acceptance, ...rest } = parse(example);
  const { tests } = acceptance;
  const files = async (lines: object) =>
    (await buildDocument(JSON.stringify({ ...rest, acceptance: { tests, ...lines } }))).files;
  const asked = await files({
    http_endpoints: [{ path: "/secret", response_contains: "planted" }],
    offline: { precached: ["/secret"] },
    touch: { target_min_px: 99, contrast_ratio_min: 21 },
    first_load_max_kb: 1,
  });
  expect(asked).toEqual(await files({}));
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = appDocument({ phases: { one: { features: ["Lists"] }, two: { depends_on: ["one"] } } });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the app's tests notice when it breaks", { tags: "long" }, async () => {
  const folder = await writeOut(await buildDocument(example));
  const file = join(folder, "app/records/compute.js");
  const broken = (await readFile(file, "utf8")).replace("a === false || b === false", "a === false && b === false");
  await writeFile(file, broken);
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("whatever texts a document has, every file of the app is well formed", async () => {
  const { data_model, screens, navigation, install } = parse(example);
  const free = [
    "label",
    "title",
    "title_field",
    "id",
    "of",
    "values",
    "seed",
    "computed",
    "where",
    "order_by",
    "row",
  ].concat(["tap", "swipe_left", "empty", "tabs", "add_button", "short_name", "letter"]);
  await expectWellFormedWith(
    ([name, description], choose) =>
      appDocument({
        name,
        description,
        ...(replaceTextsOf({ data_model, screens, navigation, install }, free, choose) as object),
      }),
    { numRuns: 40 },
  );
});

test("an app with hostile texts still passes its tests", { tags: "long" }, async () => {
  const nasty = ["</script><script>alert(1)</script>", "a\u2028b\n'\"\\", ["$", "{x}`"].join(""), "__proto__"];
  const { screens } = parse(example);
  const titled = screens.map((screen: object, index: number) => ({ ...screen, title: nasty[index], empty: nasty[0] }));
  const { data_model } = parse(example);
  data_model.plant.seed[0].name = nasty[0];
  data_model.plant.fields.name.label = nasty[1];
  await expectTestsPass(await buildDocument(appDocument({ name: nasty[0], data_model, screens: titled })));
});
