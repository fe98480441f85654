import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
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

const example = await readExample("desktop-app");

const appDocument = (fields: Record<string, unknown>) =>
  documentOf("desktop-app", { id: "small-app", name: "Small app", description: "An app.", ...fields });

test("the example becomes an app that is packed, launched and served as promised", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  const { coverage } = await testWithCoverage(folder);
  expect(coverage).toBeGreaterThanOrEqual(0.85);
  const packed = await runIn(folder, built.scripts["build"]!);
  expect(packed.exitCode, packed.stderr).toBe(0);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(8);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
  expect(await readFile(join(folder, "data/notes.json"), "utf8")).toContain("The Peregrine");
});

test("the packed launcher keeps notes where it is told, and they are there the next time", async () => {
  const folder = await writeOut(await buildDocument(example));
  await runIn(folder, "npm run build");
  const launcher = "./dist/marginalia/marginalia --no-window --data";
  const address = await startProject(folder, `${launcher} kept`);
  const body = JSON.stringify({ book: "Emma", thought: "Badly done." });
  expect((await fetch(`${address}/api/notes`, { method: "POST", body })).status).toBe(201);
  const again = await startProject(folder, `${launcher} kept`);
  expect(await (await fetch(`${again}/api/notes?q=badly`)).json()).toMatchObject([{ book: "Emma" }]);
  expect(await (await fetch(`${again}/api/notes.md`)).text()).toContain("## Emma");
});

test("in a real browser the window shows its notes, and nothing goes wrong", async ({ skip }) => {
  const built = await buildDocument(example);
  const folder = await writeOut(built);
  const address = await startProject(folder, built.scripts["start"]!);
  const body = JSON.stringify({ book: "Emma <b>", thought: "Badly done." });
  await fetch(`${address}/api/notes`, { method: "POST", body });
  const flags = "--headless --no-sandbox --disable-gpu --virtual-time-budget=3000 --dump-dom";
  const { exitCode, stdout } = await runIn(
    folder,
    `chromium ${flags} --user-data-dir=${folder}/profile ${address}/ 2>/dev/null`,
  );
  if (exitCode === 127) skip();
  expect(stdout).toContain("Emma &lt;b&gt;");
  expect(stdout).toContain("Quotation");
});

test("a document that says nothing becomes an app for notes", async () => {
  const built = await buildDocument(appDocument({}));
  expect(unmetOf(built)).toEqual([expect.objectContaining({ pointer: "/description" })]);
  const folder = await expectTestsPass(built);
  const address = await startProject(folder, built.scripts["start"]!);
  expect((await fetch(`${address}/api/notes`)).status).toBe(200);
});

test("other records, options, launchers and a layout of one's own are honoured", async () => {
  const built = await buildDocument(
    appDocument({
      data_model: {
        trip: {
          path: "/trips",
          fields: {
            to: { type: "string", required: true },
            day: "date",
            km: { type: "number", min: 0 },
            paid: { type: "boolean", default: true },
            by: { type: "enum", values: ["train", "bus"] },
          },
          filters: ["by", "paid"],
        },
      },
      menus: [
        { label: "Trip", items: [{ label: "Save all", does: "export", format: "json", shortcut: "Ctrl+Shift+E" }] },
      ],
      packaging: {
        version: "0.3.0",
        folder: "out/trips",
        launchers: { linux: "run-trips" },
        options: [
          { name: "--where", does: "keep_data_there" },
          { name: "--headless", does: "no window" },
        ],
      },
      scripts: { start: "node app/index.js", build: "npm run package" },
      acceptance: {
        tests: [{ file: "spec/*.test.js", type: "unit" }],
        http_endpoints: [
          { path: "/trips", method: "POST", status: 201, body: { to: "Bergen", by: "train", km: 12.5 } },
          { path: "/trips", method: "POST", status: 422, body: { to: "Oslo", by: "boat" }, response_contains: "train" },
          { path: "/trips?by=train&paid=true", response_contains: "Bergen" },
          { path: "/trips", method: "DELETE", status: 405 },
          { path: "/nothing", status: 404 },
        ],
        commands: [
          { command: "./out/trips/run-trips --version", stdout_contains: "0.3.0" },
          "./out/trips/run-trips --where → 2",
        ],
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  const folder = await expectTestsPass(built);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(7);
});

test("what is not known of desktop apps is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    appDocument({
      stack: { framework: "electron", window: "native" },
      data_model: { song: { fields: { tune: { type: "audio" } } }, list: { fields: { name: "string" } } },
      windows: [{ layout: "tiles", list: { of: "song" } }, { id: "second" }],
      menus: [
        {
          label: "Play",
          items: [
            { label: "Play", does: "play" },
            { label: "Quit", does: "quit", shortcut: "F4" },
          ],
        },
      ],
      packaging: { folder: "../elsewhere", signing: true, launchers: { beos: "x" } },
      acceptance: { http_endpoints: [{ path: "/api/charts" }], commands: ["open app"], startup_time_max_ms: 200 },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual([
    "/acceptance/commands/0",
    "/acceptance/http_endpoints/0",
    "/acceptance/startup_time_max_ms",
    "/data_model/list",
    "/data_model/song/fields/tune",
    "/menus/0/items/0",
    "/menus/0/items/1/shortcut",
    "/packaging/folder",
    "/packaging/launchers/beos",
    "/packaging/signing",
    "/stack/framework",
    "/stack/window",
    "/windows/0/layout",
    "/windows/1",
  ]);
  for (const pointer of pointers) expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = appDocument({ phases: { one: { features: ["Lists"] }, two: { depends_on: ["one"] } } });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the app's tests notice when it breaks", async () => {
  const folder = await writeOut(await buildDocument(example));
  const file = join(folder, "src/check.js");
  await writeFile(file, (await readFile(file, "utf8")).replace('required ? "is required"', 'false ? "is required"'));
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("whatever texts a document has, every file of the app is well formed", async () => {
  const { data_model, windows, menus, packaging } = parse(example);
  await expectWellFormedWith(
    ([name, description], choose) =>
      appDocument({
        name,
        description,
        ...(replaceTexts({ data_model, windows, menus, packaging }, choose) as object),
      }),
    { numRuns: 50 },
  );
});

test("an app with hostile texts still passes its tests", async () => {
  const nasty = ["</script><script>alert(1)</script>", "a\u2028b\n'\"\\", ["$", "{x}`"].join(""), "__proto__"];
  const { windows, menus, data_model } = parse(example);
  windows[0].title = nasty[0];
  menus[0].items[0].label = nasty[1];
  data_model.note.fields.book.label = nasty[2];
  data_model.note.fields.kind.values = nasty;
  const named = { ...data_model, [`${nasty[0]} \u2028`]: { fields: { x: "string" } } };
  await expectTestsPass(await buildDocument(appDocument({ name: nasty[1], data_model: named, windows, menus })));
});
