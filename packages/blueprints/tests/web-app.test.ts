// @module-tag soak
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { soakCases } from "../../../tools/soak-runs.ts";
import { openPages, type Page } from "./support/browser.ts";
import {
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { runIn, startProject } from "./support/run-project.ts";
import { booking, shop, tracker } from "./support/web-documents.ts";

const openPage = openPages();

const toolshed = await readExample("web-app");
const beacon = await readExample("phases-and-environments");

/** No pages: each resource gets the usual ones. */
const bare = documentOf("web-app", {
  data_model: {
    recipe: { fields: { title: { type: "string", required: true }, minutes: "integer", vegan: "boolean" } },
  },
  pwa: { service_worker: true },
  acceptance: {
    http_endpoints: [
      { path: "/", response_contains: "Add recipe" },
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

const nothing = documentOf("web-app", { name: "", id: "empty" });

/** The tests that follow from the document; the others are the same in every result. */
const modelTests = "node --test test/e2e/* test/integration/resources.test.js";

describe("what is built works", () => {
  test("the example can be installed from a browser", { tags: "long" }, async () => {
    const built = await buildDocument(toolshed);
    const folder = await writeOut(built);
    const url = await startProject(folder, built.scripts["start"]!);
    const page = await openPage(url);
    await page?.evaluate("navigator.serviceWorker.ready.then(() => true)");
    if (page !== undefined)
      expect(await page.send("Page.getInstallabilityErrors")).toEqual({ installabilityErrors: [] });
    expect(unmetOf(built)).toEqual([]);
  });

  test("a booking site: a member signs up, books in a browser, and is told beside the field what is wrong", {
    tags: "long",
  }, async ({ skip }) => {
    const built = await buildDocument(booking);
    expect(unmetOf(built)).toEqual([]);
    const folder = await writeOut(built);
    const { exitCode, stdout } = await runIn(folder, modelTests);
    expect(exitCode, stdout).toBe(0);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    const page = await openPage(`${url}/buchen`);
    if (page === undefined) return skip("Chromium is not installed.");
    // Whoever is not logged in is asked to, and then comes back.
    expect(await page.evaluate("location.pathname")).toBe("/anmelden");
    await page.evaluate("location.href = '/registrieren'");
    await fill(page, "/registrieren", { email: "ina@club.example", name: "Ina", password: "aufschlag 1" });
    await expect
      .poll(() => page.evaluate("document.querySelector('.account span')?.innerText"))
      .toBe("ina@club.example");
    const span = { court_id: "1", starts_at: "2031-05-04T10:00", ends_at: "2031-05-04T09:00" };
    await page.evaluate("location.href = '/buchen'");
    await fill(page, "/buchen", span);
    await expect.poll(() => page.evaluate("document.activeElement?.getAttribute('aria-invalid')")).toBe("true");
    await fill(page, "/buchen", { ends_at: "2031-05-04T11:00" });
    await expect.poll(() => page.evaluate("location.pathname")).toBe("/buchungen/1");
    await expect.poll(() => page.evaluate("document.querySelector('main')?.innerText")).toContain("Platz 1");
    await page.evaluate("location.href = '/buchen'");
    await fill(page, "/buchen", { ...span, ends_at: "2031-05-04T10:30" });
    await expect.poll(() => page.evaluate("document.body?.innerText")).toContain("Der Platz ist schon vergeben.");
    expect(await page.evaluate("fetch('/leitung').then(({ status }) => status)")).toBe(403);
    expect(await page.evaluate("document.documentElement.lang + document.cookie")).toBe("de");
  });

  test("a shop: goods are ordered from the basket, and only its owner manages it", { tags: "long" }, async () => {
    const built = await buildDocument(shop);
    expect(unmetOf(built)).toEqual([]);
    const folder = await writeOut(built);
    const { exitCode, stdout } = await runIn(folder, modelTests);
    expect(exitCode, stdout).toBe(0);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    const { Visitor } = await import(join(folder, "testing/visitor.js"));
    const ann = new Visitor(url);
    expect((await ann.open("/")).text).not.toContain("Secret blend");
    await ann.submit(await ann.open("/products/2"), "Add to basket");
    const account = { email: "ann@example.org", name: "Ann", password: "biscuits, please" };
    await ann.submit(await ann.open("/sign-up"), "Sign up", account);
    const order = await ann.submit(await ann.open("/checkout"), "Order now", { address: "Lane 1" });
    expect(order).toMatchObject({ status: 200, path: "/orders/1" });
    expect(order.text).toContain("Blue cup");
    expect((await ann.open("/products/2")).text).toContain("Sold out");
    expect((await ann.open("/admin/products")).status).toBe(403);
    expect((await ann.open("/")).text).not.toContain("/admin");
    const olga = new Visitor(url);
    const owner = { email: "owner@shop.example", password: "open the shop" };
    await olga.submit(await olga.open("/login?next=/admin"), "Log in", owner);
    const product = { name: "Green tea", category_id: "1", price: "4.2", stock: "9" };
    const added = await olga.submit(await olga.open("/admin/products/new"), "Save", product);
    expect(added).toMatchObject({ status: 200, path: "/admin/products/4" });
    const sent = await olga.submit(await olga.open("/admin/orders/1"), "Send");
    expect(sent.text).toContain("sent");
    expect((await olga.submit(await olga.open("/admin/categories/1/delete"), "Yes, do it")).status).toBe(409);
  });

  test("a document in phases: every request is answered as written, and what is prose is reported", async () => {
    const more = "scripts: { deploy: npm run deploy, rollback: npm run rollback, ";
    const built = await buildDocument(beacon.replace("scripts: { ", more));
    const folder = await writeOut(built);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    const unmet = unmetOf(built).map(({ pointer }) => pointer);
    expect(unmet.filter((pointer) => !pointer.includes("/features/"))).toEqual([
      "/scripts/deploy",
      "/scripts/rollback",
    ]);
  });

  test.each(
    soakCases([
      ["a document without pages gets the usual ones", bare],
      ["what is below a record, and what there is one of, has pages too", tracker],
      ["a document that asks for nothing gets a page to start from", nothing],
    ]),
  )("%s", { tags: "long" }, async (_, text) => {
    const built = await buildDocument(text);
    const folder = await writeOut(built);
    expect(await runIn(folder, modelTests)).toMatchObject({ exitCode: 0 });
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect((await fetch(url)).status).toBe(200);
  });

  test("a program that is broken fails its own tests", { tags: "long" }, async () => {
    const built = await buildDocument(shop);
    const folder = await writeOut(built);
    const spoil = async (path: string, what: string | RegExp, by: string) => {
      const place = join(folder, path);
      const text = await readFile(place, "utf8");
      expect(text).not.toBe(text.replace(what, by));
      await writeFile(place, text.replace(what, by));
    };
    await spoil("src/html.js", /\.replace\(.*\);/, ";");
    expect((await runIn(folder, "node --test test/unit/html.test.js")).exitCode).not.toBe(0);
    await spoil("src/page-access.js", "return access === undefined ||", "return true ||");
    const { stdout } = await runIn(folder, "node --test --test-name-pattern=/admin --test-reporter=tap test/e2e/*");
    expect(stdout).toMatch(/^not ok .* \/admin is for admin, and for nobody else/m);
  });
});

/** Fills in the form of a page in a browser, once it is there, and sends it. */
async function fill(page: Page, path: string, values: Readonly<Record<string, string>>): Promise<void> {
  const [first] = Object.keys(values);
  const isThere = `location.pathname === ${JSON.stringify(path)} && document.readyState === "complete" && !window.isSent && document.querySelector("main form [name=${first}]") !== null`;
  await expect.poll(() => page.evaluate(isThere)).toBe(true);
  await page.evaluate(`for (const [name, value] of Object.entries(${JSON.stringify(values)}))
    document.querySelector("main form [name=" + name + "]").value = value;
  window.isSent = true;
  document.querySelector("main form").requestSubmit()`);
}

test.each([toolshed, beacon, bare, nothing, shop, booking])(
  "the same document gives the same bytes, whatever the order of tasks",
  expectSameBytes,
);

test("what lines of acceptance expect changes no byte of the result", async () => {
  const { acceptance: _, ...rest } = parse(shop);
  const { acceptance: __, ...other } = parse(booking);
  const expects = {
    http_endpoints: [
      { path: "/", status: 200, response_contains: ["A text that nobody wrote", "Free tea"] },
      { path: "/secret/page", status: 200, response_contains: "Hidden" },
      {
        path: "/api/login",
        method: "POST",
        status: 200,
        body: { email: "new@example.org", password: "made up for this" },
      },
    ],
    integration_tests: [{ name: "Gifts", steps: ['POST /api/gifts {"name": "Ribbon"} → 201'] }],
    accessibility: { page_language: "fr" },
  };
  for (const document of [rest, other]) {
    const [before, after] = [{}, expects].map((acceptance) => stringify({ ...document, acceptance }));
    const [plain, asked] = [await buildDocument(before!), await buildDocument(after!)];
    expect(asked.files).toEqual(plain.files);
    const unmet = unmetOf(asked).map(({ pointer }) => pointer);
    expect(unmet).toContain("/acceptance/http_endpoints/1");
    expect(unmet).toContain("/acceptance/integration_tests/0");
  }
});

test("a key that is misspelled, or a value of another kind, is told with its position", () => {
  const problems = (text: string) =>
    parseSpec(text).diagnostics.map(({ line, message, suggestion }) => `${line}: ${message} ${suggestion}`);
  const broken = shop
    .replace("layout: cards", "layuot: cards")
    .replace("does: add_to_basket", "dose: add_to_basket")
    .replace("page_size: 12", "page_size: many")
    .replace('accent: "#7a3b1e"', "accent: brown");
  const found = problems(broken).join("\n");
  for (const word of ["layuot", "layout", "dose", "page_size", "accent"]) expect(found).toContain(word);
  expect(problems(shop)).toEqual([]);
});

test("a basket has its buttons where no pages are declared, and none of the declared ones is reported", {
  tags: "long",
}, async () => {
  const { pages: _, navigation: __, admin: ___, ...keys } = parse(shop);
  const built = await buildDocument(stringify({ ...keys, acceptance: {} }));
  expect(unmetOf(built)).toEqual([]);
  const url = await startProject(await writeOut(built), built.scripts["start"]!);
  for (const path of ["/products", "/products/1"])
    expect(await (await fetch(url + path)).text()).toContain("Add to basket</button>");
  const pages = [{ path: "/", kind: "list", of: "product" }];
  const without = await buildDocument(stringify({ ...keys, pages, acceptance: {} }));
  expect(unmetOf(without)).toEqual([
    { pointer: "/basket", reason: expect.stringContaining("an action that does 'add_to_basket'") },
  ]);
});

test("whoever may order by the API chooses neither the total nor the status", async () => {
  const keys = parse(shop);
  const { actions: _, ...order } = keys.data_model.order;
  const access = { read: "admin", create: "anyone", change: "admin", delete: "admin" };
  const data_model = { ...keys.data_model, order: { ...order, access } };
  const pages = keys.pages.filter(({ of }: { of?: string }) => of !== "order");
  const built = await buildDocument(stringify({ ...keys, data_model, pages }));
  expect(unmetOf(built)).toEqual([]);
  const { text } = built.files.get("README.md")!;
  expect(text).toContain("- order: the service works out `total`; what is sent for it is not taken");
  expect(text).toContain("- order: only those who may change every order choose `status` (403)");
  const folder = await writeOut(built);
  const url = await startProject(folder, built.scripts["start"]!);
  const send = async (body: object) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${url}/api/orders`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: answer.status, json: await answer.json() };
  };
  expect(await send({ address: "Lane 1", total: 0.01 })).toMatchObject({ status: 201, json: { total: 0 } });
  expect(await send({ address: "Lane 1", status: "sent" })).toMatchObject({ status: 403 });
  const { components } = await (await fetch(`${url}/openapi.json`)).json();
  expect(components.schemas.order.properties.total).toMatchObject({ readOnly: true });
  expect(components.schemas.order_item.properties.price).toMatchObject({ readOnly: true });
  const { Visitor } = await import(join(folder, "testing/visitor.js"));
  const guest = new Visitor(url);
  await guest.submit(await guest.open("/products/2"), "Add to basket");
  const placed = await guest.submit(await guest.open("/checkout"), "Order now", { address: "Lane 1" });
  expect(placed.text).toMatch(/Thank you for your order.*Your order has the number 2\./s);
});

test("a line of an order has a quantity of one or more, unless the document says otherwise", async () => {
  const written = "quantity: { type: integer, min: 1, required: true }";
  const quantityIn = async (text: string, seed = "[]") => {
    const changed = shop
      .replace(written, `quantity: ${text}`)
      .replace("\n  order:\n", "$&    seed: [{ address: Lane 1 }]\n")
      .replace("belongs_to: order\n", `$&    seed: ${seed}\n`);
    const built = await buildDocument(changed);
    return JSON.parse(built.files.get("model/resources/order_item.json")!.text).fields.quantity;
  };
  expect(await quantityIn("integer")).toMatchObject({ min: 1, required: true });
  expect(await quantityIn("{ type: integer, min: -5 }")).toMatchObject({ min: -5, required: true });
  const seed = "[{ order_id: 1, product_id: 1, quantity: 0 }, { order_id: 1, product_id: 2 }]";
  expect(await quantityIn("integer", seed)).toEqual({ type: "integer", min: 0 });
});

test("a form that asks for what the basket works out is reported", async () => {
  const built = await buildDocument(shop.replace("fields: [address, gift_note]", "fields: [address, total]"));
  expect(unmetOf(built)).toEqual([
    { pointer: "/pages/2/fields", reason: "Nobody fills in 'total': the basket works it out." },
  ]);
});

test("the README offers nothing that nobody may do", async () => {
  const access = { create: "nobody", delete: "nobody" };
  const built = await buildDocument(
    documentOf("web-app", { data_model: { line: { fields: { text: "text" }, access } } }),
  );
  const { text } = built.files.get("README.md")!;
  expect(text).toContain("| GET | `/api/lines` |");
  expect(text).not.toMatch(/\| (?:POST|DELETE) \| `\/api\/lines/);
  expect(text).not.toMatch(/\| delete \|/);
});

test("what cannot be honoured is reported, with its position", async () => {
  const built = await buildDocument(
    documentOf("web-app", {
      stack: { frontend: "react" },
      data_model: {
        note: {
          path: "/api/notes",
          title_field: "headline",
          fields: { text: "text", done: { type: "boolean", default: "maybe" } },
          seed: [{ text: 5 }],
        },
      },
      language: "fr",
      pages: [
        { path: "/", kind: "form", of: "note", layout: "cards", columns: ["text"] },
        { path: "/x", kind: "list", of: "ghost" },
        { path: "/n/{id}", kind: "list", of: "note" },
        {
          path: "/l",
          kind: "list",
          of: "note",
          access: "admin",
          columns: ["text", "size"],
          where: { size: 3 },
          actions: [
            { label: "Print", does: "print" },
            { label: "Away", to: "//elsewhere.example" },
            { label: "Buy", does: "add_to_basket" },
          ],
        },
        { path: "/login", kind: "login" },
        { path: "/basket", kind: "basket" },
      ],
      basket: { of: "note", price: "price", order: "note", items: "line" },
      admin: {},
      theme: { text: "#ffffff", background: "#ffffff" },
      acceptance: { accessibility: { contrast_ratio_min: 7 } },
    }),
  );
  expect(
    unmetOf(built)
      .map(({ pointer }) => pointer)
      .toSorted(),
  ).toEqual(
    [
      "/acceptance/accessibility",
      "/admin",
      "/basket/items",
      "/data_model/note/fields/done/default",
      "/data_model/note/seed/0/text",
      "/data_model/note/title_field",
      "/language",
      "/pages/0/columns",
      "/pages/0/layout",
      "/pages/1/of",
      "/pages/2/path",
      "/pages/3/access",
      "/pages/3/actions/0/does",
      "/pages/3/actions/1",
      "/pages/3/actions/2/does",
      "/pages/3/columns/1",
      "/pages/3/where/size",
      "/pages/4",
      "/pages/5",
      "/stack/frontend",
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
    fc.string({ minLength: 1 }),
  )
  .filter((text) => !["__proto__", "constructor", "prototype"].includes(text));

test("whatever names and texts a document has, its files are whole", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, async (name, field, value) => {
      const built = await buildDocument(
        documentOf("web-app", {
          name,
          description: value,
          theme: { accent: "#123" },
          texts: { log_in: value },
          pwa: { manifest: true, short_name: name },
          auth: { roles: ["admin"], sign_up: "/sign-up" },
          admin: { access: "admin" },
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
