import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { model } from "#src/model.js";
import { refuseOldNode } from "#src/refuse-old-node.js";
import { run } from "#src/run.js";
import { sampleModel } from "#src/sample-model.js";
import { pack } from "#scripts/pack.js";

const folder = mkdtempSync(join(tmpdir(), "app-"));
const quiet = { print: () => {}, complain: () => {} };
let app;
const opened = [];

before(async () => {
  app = await run(sampleModel, ["--data", join(folder, "sample")], { ...quiet, env: {}, open: (...window) => opened.push(window) });
});
after(() => {
  app.server.close();
  app.server.closeAllConnections();
  rmSync(folder, { recursive: true });
});

/** The status and the JSON that the app answers. */
async function ask(method, path, body, headers = {}, address = app.address) {
  const response = await fetch(new URL(path, address), { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, data: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined };
}

test("a record is written, found, corrected and thrown away", async () => {
  const made = await ask("POST", "/api/cards", '{"title": "Red fox", "count": 2}');
  assert.equal(made.status, 201);
  const path = made.headers.get("location");
  assert.equal((await ask("GET", "/api/cards?q=FOX")).data.length, 1);
  assert.equal((await ask("GET", "/api/cards?kind=b")).data.length, 0);
  assert.equal((await ask("PATCH", path, '{"kind": "b"}')).data.kind, "b");
  const replaced = await ask("PUT", path, '{"title": "Owl"}');
  assert.deepEqual([replaced.data.title, replaced.data.count, replaced.data.kind], ["Owl", null, "a"]);
  assert.match((await ask("GET", "/api/cards.md")).text, /## Owl/);
  assert.equal((await ask("GET", "/api/cards.json")).data[0].title, "Owl");
  assert.match(readFileSync(join(folder, "sample", "cards.json"), "utf8"), /"Owl"/);
  assert.equal((await ask("DELETE", path)).status, 204);
  assert.equal((await ask("GET", path)).status, 404);
});

test("totals follow their lines, and what is referred to stays while it is needed", async () => {
  assert.equal((await ask("GET", "/api/invoices/1")).data.total, 3.45);
  const line = await ask("POST", "/api/lines", '{"invoice_id": 1, "what": "Cake", "quantity": 2, "price": 2.5}');
  assert.equal(line.data.amount, 5);
  assert.equal((await ask("GET", "/api/invoices?sort=total")).data[0].total, 8.45);
  assert.equal((await ask("POST", "/api/lines", '{"invoice_id": 99, "what": "Cake", "price": 1}')).status, 422);
  assert.equal((await ask("DELETE", "/api/customers/1")).status, 409);
  await ask("POST", "/api/marks", '{"name": "m", "customer_id": 2}');
  assert.equal((await ask("DELETE", "/api/customers/2")).status, 204);
  assert.equal((await ask("GET", "/api/marks")).data[0].customer_id, null);
  assert.equal((await ask("DELETE", "/api/invoices/1")).status, 204);
  assert.deepEqual((await ask("GET", "/api/lines")).data, []);
});

test("a file with one wrong row changes nothing", async () => {
  const before = (await ask("GET", "/api/cards.json")).data;
  const refused = await ask("POST", "/api/cards.csv", "title,count\nFox,1\n,2\nOwl,77\n");
  assert.equal(refused.status, 422);
  assert.deepEqual(refused.data.rows.map(({ row }) => row), [2, 3]);
  const wrong = ["title,colour\nFox,red", "id,title\n0,Fox", "id,title\n1,Fox\n1,Owl", 'title\n"Fox'];
  for (const text of wrong) assert.equal((await ask("POST", "/api/cards.csv", text)).status, 422, text);
  for (const text of ["nothing", '{"title": "Fox"}', '[{"colour": "red"}]']) assert.equal((await ask("POST", "/api/cards.json", text)).status, 422, text);
  assert.equal((await ask("POST", "/api/cards.md", "# Fox")).status, 405);
  assert.deepEqual((await ask("GET", "/api/cards.json")).data, before);
});

test("what is saved as a file and read by another app is the same there", async (context) => {
  const other = await run(sampleModel, ["--data", join(folder, "other"), "--no-window"], { ...quiet, env: {} });
  context.after(() => other.server.close());
  await ask("POST", "/api/cards", JSON.stringify({ title: 'a "b", c', text: "two\nlines; =1", day: "2026-03-01", done: true, weight: -1.5 }));
  await ask("POST", "/api/cards", JSON.stringify({ title: "=1+1", kind: "b" }));
  const saved = (await ask("GET", "/api/cards.json")).data;
  for (const format of ["csv", "json"]) {
    const file = await ask("GET", `/api/cards.${format}`);
    assert.match(file.headers.get("content-disposition"), new RegExp(`cards\\.${format}`));
    const read = await ask("POST", `/api/cards.${format}`, file.text, {}, other.address);
    assert.deepEqual(read.data, format === "csv" ? { added: saved.length, changed: 0 } : { added: 0, changed: saved.length });
    assert.deepEqual((await ask("GET", "/api/cards.json", undefined, {}, other.address)).data, saved, format);
  }
});

test("what cannot be done is refused with a reason", async () => {
  const refused = await ask("POST", "/api/cards", "{}");
  assert.equal(refused.status, 422);
  assert.match(refused.data.fields.title, /required/);
  assert.match((await ask("POST", "/api/cards", '{"title": "x", "colour": 1}')).data.fields.colour, /not known/);
  assert.equal((await ask("POST", "/api/cards", "no json")).status, 400);
  assert.equal((await ask("POST", "/api/cards", "[1]")).status, 400);
  assert.equal((await ask("POST", "/api/cards", `"${"x".repeat(1024 * 1024)}"`)).status, 413);
  assert.equal((await ask("DELETE", "/api/cards")).status, 405);
  assert.equal((await ask("GET", "/api/cards/x")).status, 404);
  for (const path of ["/nothing", "/ui/..%2fserver.js", "/ui/none.js"]) assert.equal((await ask("GET", path)).status, 404, path);
  assert.equal((await ask("GET", "/api/cards", undefined, { origin: "http://elsewhere.example" })).status, 403);
});

test("the window's menu ends the app", async () => {
  const own = await run(sampleModel, ["--data", join(folder, "quit")], { ...quiet, env: {}, open: () => {} });
  const closed = new Promise((resolve) => own.server.on("close", resolve));
  const response = await fetch(new URL("/api/quit", own.address), { method: "POST", headers: { connection: "close" } });
  assert.equal(response.status, 202);
  await response.text();
  await closed;
  assert.deepEqual(opened, [[sampleModel.windows[0], app.address]]);
});

test("the packed folder has a launcher that says its version, helps, and refuses what it does not know", async () => {
  const packed = join(folder, "packed");
  assert.ok((await pack(model, packed)) > 0);
  const launch = (...words) =>
    new Promise((resolve) => {
      execFile(join(packed, model.launchers.linux), words, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
    });
  const option = (does) => model.options.find((one) => one.does === does).name;
  assert.deepEqual(await launch(option("version")), { code: 0, stdout: `${model.version}\n`, stderr: "" });
  const help = await launch(option("help"));
  for (const { name } of model.options) assert.ok(help.stdout.includes(name), name);
  const { code, stderr } = await launch("--nonsense");
  assert.equal(code, 2);
  assert.match(stderr, /unknown option --nonsense/);
  for (const name of Object.values(model.launchers)) assert.ok(readFileSync(join(packed, name), "utf8").includes("main.js"));
});

test("what is taken is a conflict, and a rule over lines holds for whoever changes lines", async () => {
  const made = await ask("POST", "/api/invoices", '{"number": "R-1", "customer_id": 1}');
  assert.equal(made.status, 201);
  const again = await ask("POST", "/api/invoices", '{"number": "R-1", "customer_id": 1}');
  assert.deepEqual([again.status, again.data.fields], [409, { number: "is there already" }]);
  assert.equal((await ask("POST", "/api/customers", '{"name": "Ada"}')).status, 409);
  assert.equal((await ask("POST", "/api/customers", '{"name": ""}')).status, 422);
  const { id } = made.data;
  const line = JSON.stringify({ invoice_id: id, what: "Tea", price: 1 });
  for (const status of [201, 201, 201, 409]) assert.equal((await ask("POST", "/api/lines", line)).status, status);
  const second = await ask("POST", "/api/invoices", '{"number": "R-2", "customer_id": 1}');
  const other = await ask("POST", "/api/lines", JSON.stringify({ invoice_id: second.data.id, what: "Tea", price: 1 }));
  const refused = await ask("PATCH", other.headers.get("location"), JSON.stringify({ invoice_id: id }));
  assert.deepEqual([refused.status, refused.data.error], [409, "The invoice R-1 would break a rule: number must have at most three lines."]);
  assert.equal((await ask("POST", "/api/lines.csv", `invoice_id,what,price\n${id},Cake,2\n`)).status, 409);
});

test("an old Node is told which one is needed, in one line", (t) => {
  const said = t.mock.method(console, "error", () => {}).mock;
  const codes = [];
  const exit = (code) => codes.push(code);
  refuseOldNode({ exit, version: "v20.11.0" });
  refuseOldNode({ exit, version: "v24.0.0", getBuiltinModule: () => ({}) });
  assert.deepEqual(codes, [1]);
  assert.match(said.calls[0].arguments[0], /^This needs Node 22\.13 or newer, and this is v20\.11\.0/);
});
