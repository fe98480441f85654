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

const example = await readExample("desktop-app");

const appDocument = (fields: Record<string, unknown>) =>
  documentOf("desktop-app", { id: "small-app", name: "Small app", description: "An app.", ...fields });

test("the example becomes an app that keeps what it is told", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  const packed = await runIn(folder, built.scripts["build"]!);
  expect(packed.exitCode, packed.stderr).toBe(0);
  const address = await startProject(folder, built.scripts["start"]!);
  expect(await checkLines(built, folder, address)).toBe(9);
  const { port } = new URL(address);
  expect((await runIn(folder, `PORT=${port} ${built.scripts["health_check"]}`)).exitCode).toBe(0);
  expect(await readFile(join(folder, "data/notes.json"), "utf8")).toContain("The Peregrine");
});

test("the packed launcher keeps notes where it is told, and they are there the next time", {
  tags: "long",
}, async () => {
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

test("in a real browser the window shows its notes, and nothing goes wrong", { tags: "long" }, async ({ skip }) => {
  const built = await buildDocument(example);
  const folder = await writeOut(built);
  const address = await startProject(folder, built.scripts["start"]!);
  const body = JSON.stringify({ book: "Emma <b>", thought: "Badly done." });
  await fetch(`${address}/api/notes`, { method: "POST", body });
  const page = await openPage(`${address}/`);
  if (page === undefined) return skip();
  const shown = () => page.evaluate("document.documentElement.outerHTML");
  await expect.poll(shown).toContain("Emma &lt;b&gt;");
  expect(await shown()).toContain("Quotation");
});

test("a document that says nothing becomes an app for notes", { tags: "long" }, async () => {
  const built = await buildDocument(appDocument({}));
  expect(unmetOf(built)).toEqual([expect.objectContaining({ pointer: "/description" })]);
  const folder = await expectTestsPass(built);
  const address = await startProject(folder, built.scripts["start"]!);
  expect((await fetch(`${address}/api/notes`)).status).toBe(200);
});

test("other records, options, launchers and a layout of one's own are honoured", { tags: "long" }, async () => {
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
          { name: "--where", does: "data" },
          { name: "--headless", does: "no_window" },
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
          { path: "/trips.csv", status: 404 },
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
  expect(await checkLines(built, folder, address)).toBe(8);
});

const ledger = {
  data_model: {
    customer: {
      description: "Who is billed.",
      fields: {
        name: { type: "string", required: true, unique: true },
        email: "email",
      },
      computed: { open: { formula: "sum(invoice.total where status != 'paid')", decimals: 2, label: "Open" } },
      seed: [{ name: "Acme & Söhne" }, { name: "=Borealis", email: "b@example.org" }],
    },
    invoice: {
      title_field: "number",
      fields: {
        number: { type: "string", required: true, unique: true },
        customer: { type: "reference", required: true, on_delete: "restrict" },
        issued: { type: "date", default: "today" },
        due: { type: "date", description: "When the money must be here." },
        status: { type: "enum", values: ["draft", "sent", "paid"], default: "draft" },
        tax_rate: { type: "number", default: 25 },
      },
      computed: {
        net: "sum(line.amount)",
        total: { formula: "net + net * tax_rate / 100", decimals: 2 },
        overdue: "status == 'sent' and due < today",
        payer: "customer.name",
      },
      rules: [{ check: "due >= issued", when: "due is not empty", message: "must not be before the day of issue" }],
      seed: [
        { number: "2026-1", customer: "Acme & Söhne", issued: { days_ago: 40 }, due: { days_ago: 10 }, status: "sent" },
        { number: "2026-2", customer: 2 },
      ],
    },
    line: {
      belongs_to: "invoice",
      fields: {
        text: { type: "string", required: true },
        quantity: { type: "number", required: true, default: 1, min: 0 },
        price: { type: "number", required: true, decimals: 2 },
      },
      computed: { amount: { formula: "quantity * price", decimals: 2 } },
      seed: [
        { invoice_id: "2026-1", text: "Design", quantity: 3, price: 100.1 },
        { invoice_id: 1, text: "Hosting", price: 19.9 },
      ],
    },
  },
  windows: [
    { id: "invoices", title: "Invoices", list: { of: "invoice", detail: ["customer", "total"], order_by: "-issued" } },
    { id: "customers", list: { of: "customer", detail: "open", order_by: "name" } },
  ],
  menus: [
    {
      label: "File",
      items: [
        { label: "New invoice", does: "create", of: "invoice", shortcut: "Ctrl+Shift+N" },
        { label: "Print", does: "print", shortcut: "F9" },
        { label: "Customers", does: "open_window", window: "customers", shortcut: "F2" },
      ],
    },
  ],
  export: ["csv", "json"],
  import: "csv",
};

test("invoices have customers, lines and totals, and a file of them is read by another installation", {
  tags: "long",
}, async () => {
  const built = await buildDocument(appDocument(ledger));
  expect(unmetOf(built)).toEqual([]);
  const folder = await expectTestsPass(built);
  const [one, other] = [
    await startProject(folder, "DATA_DIR=one npm start"),
    await startProject(folder, "DATA_DIR=other npm start"),
  ];
  const ask = async (path: string, more: RequestInit = {}, address = one) => fetch(address + path, more);
  const send = (path: string, body: object) => ask(path, { method: "POST", body: JSON.stringify(body) });
  expect(await (await ask("/api/invoices/1")).json()).toMatchObject({
    net: 320.2,
    total: 400.25,
    overdue: true,
    payer: "Acme & Söhne",
  });
  expect(await (await ask("/api/customers/1")).json()).toMatchObject({ open: 400.25 });
  expect((await ask("/api/customers/1", { method: "DELETE" })).status).toBe(409);
  const late = await send("/api/invoices", { number: "x", customer: 1, due: "2001-01-01" });
  expect(await late.json()).toMatchObject({ fields: { due: "must not be before the day of issue" } });
  expect((await send("/api/lines", { invoice_id: 2, text: 'Tea, "green"\n;', price: 1.005 })).status).toBe(201);
  const paths = ["/api/customers.csv", "/api/invoices.csv", "/api/lines.csv"];
  const files = await Promise.all(paths.map(async (path) => (await ask(path)).text()));
  for (const [index, path] of paths.entries())
    expect((await ask(path, { method: "POST", body: files[index]! }, other)).status).toBe(200);
  for (const [index, path] of paths.entries()) expect(await (await ask(path, {}, other)).text()).toBe(files[index]);
  expect((await ask("/api/invoices.json", { method: "POST", body: "[]" })).status).toBe(405);
  expect(await (await ask("/windows/customers")).text()).toContain("Export invoices as CSV");
});

test("in a real browser a line is added to an invoice, and its total follows", { tags: "long" }, async ({ skip }) => {
  const built = await buildDocument(appDocument(ledger));
  const page = await openPage(`${await startProject(await writeOut(built), built.scripts["start"]!)}/`);
  if (page === undefined) return skip();
  const until = (condition: string) =>
    page.evaluate(`new Promise((resolve) => {
      const look = () => ((${condition}) ? resolve(true) : requestAnimationFrame(look));
      look();
    })`);
  await until("document.querySelectorAll('#list button').length === 2");
  await page.evaluate("document.querySelectorAll('#list button')[1].click()");
  await until("document.querySelectorAll('#detail tbody tr').length === 2");
  await page.evaluate(`(() => {
    const form = document.querySelector('form.line');
    form.querySelector('[name=text]').value = 'Tea <b>';
    form.querySelector('[name=price]').value = '10';
    form.requestSubmit();
  })()`);
  await until("document.querySelector('#status').textContent === 'Saved.'");
  const text = String(await page.evaluate("document.querySelector('#detail').innerText"));
  expect(text).toContain("Tea <b>");
  expect(text).toMatch(/Total\s*412\.75/);
  expect(await page.evaluate("document.querySelector('#list [aria-current] .detail').innerText")).toContain("412.75");
});

test("what is not known of desktop apps is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    appDocument({
      stack: { framework: "electron", window: "native" },
      data_model: {
        song: {
          fields: {
            tune: { type: "object" },
            of: { type: "reference" },
            bars: { type: "integer", default: "many", max_length: 3 },
          },
          computed: { long: "bars > tempo", loop: "loop + 1", odd: "bars * tune" },
          rules: ["bars", { unique: ["colour"] }],
          seed: [{ bars: "none" }, { bars: 3, colour: "red" }],
          history: true,
        },
        list: { fields: { name: "string" } },
      },
      windows: [
        { id: "main", layout: "tiles", list: { of: "song", order_by: "speed" }, detail: { lines: "list" } },
        { id: "main" },
      ],
      menus: [
        {
          label: "Play",
          items: [
            { label: "New", does: "create", of: "list" },
            { label: "Other", does: "open_window", window: "other", shortcut: "F4" },
            { label: "Quit", does: "quit", shortcut: "F4", icon: "door" },
            { label: "Print", does: "print", shortcut: "F4" },
          ],
        },
      ],
      packaging: { folder: "src/elsewhere", signing: true, launchers: { beos: "x" } },
      tray: { icon: "note.png" },
      acceptance: {
        http_endpoints: [{ path: "/api/charts" }],
        commands: ["npm run tray"],
        startup_time_max_ms: 200,
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual([
    "/acceptance/commands/0",
    "/acceptance/http_endpoints/0",
    "/acceptance/startup_time_max_ms",
    "/data_model/list",
    "/data_model/song/computed/long",
    "/data_model/song/computed/loop",
    "/data_model/song/computed/odd",
    "/data_model/song/fields/bars/default",
    "/data_model/song/fields/bars/max_length",
    "/data_model/song/fields/of",
    "/data_model/song/fields/tune",
    "/data_model/song/history",
    "/data_model/song/rules/0",
    "/data_model/song/rules/1",
    "/data_model/song/seed/0",
    "/data_model/song/seed/1/colour",
    "/menus/0/items/0/of",
    "/menus/0/items/1/shortcut",
    "/menus/0/items/1/window",
    "/menus/0/items/2/icon",
    "/menus/0/items/3/shortcut",
    "/packaging/folder",
    "/packaging/launchers/beos",
    "/packaging/signing",
    "/stack/framework",
    "/stack/window",
    "/tray",
    "/windows/0/detail/lines",
    "/windows/0/layout",
    "/windows/0/list/order_by",
    "/windows/1/id",
  ]);
  for (const pointer of pointers.filter((one) => !one.startsWith("/acceptance")))
    expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("records are served at the plural of their name, and kept where they always were", async () => {
  const fields = { title: { type: "string" } };
  const model = { entry: { fields }, notes: { fields }, note: { fields }, quit: { fields, path: "/api/quit" } };
  const { files } = await buildDocument(documentOf("desktop-app", { data_model: model }));
  const text = files.get("src/ui/model.js")!.text;
  const places = (key: string) => [...text.matchAll(new RegExp(`\\b${key}: "([^"]+)"`, "g"))].map(([, place]) => place);
  expect(places("path").slice(0, 4)).toEqual(["/api/entries", "/api/notes", "/api/notes-2", "/api/quits"]);
  expect(places("file")).toEqual(["entrys", "notess", "notes", "quits"]);
});

test("only what the document declares is built: other expected values give the same bytes", async () => {
  const { acceptance, ...rest } = parse(example);
  const { tests } = acceptance;
  const files = async (lines: object) =>
    (await buildDocument(JSON.stringify({ ...rest, acceptance: { tests, ...lines } }))).files;
  const plain = await files({});
  const asked = await files({
    http_endpoints: [{ path: "/api/secret", response_contains: "planted" }],
    commands: [{ command: "./dist/marginalia/marginalia --version", stdout_contains: "9.9.9" }],
    package_size_max_kb: 1,
  });
  expect(asked).toEqual(plain);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = appDocument({ phases: { one: { features: ["Lists"] }, two: { depends_on: ["one"] } } });
  for (const text of [example, phased]) await expectSameBytes(text);
});

test("the app's tests notice when it breaks", { tags: "long" }, async () => {
  const folder = await writeOut(await buildDocument(example));
  const file = join(folder, "src/records/fields.js");
  await writeFile(file, (await readFile(file, "utf8")).replace('required ? "is required"', 'false ? "is required"'));
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("whatever texts a document has, every file of the app is well formed", async () => {
  const { data_model, windows, menus, packaging } = parse(example);
  const free = ["label", "title", "title_field", "id", "list", "values", "search", "filters", "computed", "seed", "of"];
  await expectWellFormedWith(
    ([name, description], choose) =>
      appDocument({
        name,
        description,
        ...(replaceTextsOf({ data_model, windows, menus, packaging }, free, choose) as object),
      }),
    { numRuns: 40 },
  );
});

test("an app with hostile texts still passes its tests", { tags: "long" }, async () => {
  const nasty = ["</script><script>alert(1)</script>", "a\u2028b\n'\"\\", ["$", "{x}`"].join(""), "__proto__"];
  const { windows, menus, data_model } = parse(example);
  windows[0].title = nasty[0];
  menus[0].items[0].label = nasty[1];
  data_model.note.fields.book.label = nasty[2];
  data_model.note.fields.kind.values = nasty;
  const named = { ...data_model, [`${nasty[0]} \u2028`]: { fields: { x: "string" } } };
  await expectTestsPass(await buildDocument(appDocument({ name: nasty[1], data_model: named, windows, menus })));
});
