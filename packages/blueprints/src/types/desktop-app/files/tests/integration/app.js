import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { model } from "#src/model.js";
import { run } from "#src/run.js";
import { sampleModel } from "#src/sample-model.js";
import { pack } from "#scripts/pack.js";
import { promises } from "#scripts/promises.js";

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
async function ask(method, path, body, headers = {}) {
  const response = await fetch(new URL(path, app.address), { method, headers, ...(body !== undefined && { body }) });
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
  assert.equal((await ask("GET", path)).data.title, "Red fox");
  assert.equal((await ask("PUT", path, '{"title": "Owl"}')).data.kind, "a");
  assert.match((await ask("GET", "/api/cards.md")).text, /## Owl/);
  assert.equal((await ask("GET", "/api/cards.json")).data[0].title, "Owl");
  assert.match(readFileSync(join(folder, "sample", "cards.json"), "utf8"), /"Owl"/);
  assert.equal((await ask("DELETE", path)).status, 204);
  assert.equal((await ask("GET", path)).status, 404);
});

test("what cannot be done is refused with a reason", async () => {
  const refused = await ask("POST", "/api/cards", "{}");
  assert.equal(refused.status, 422);
  assert.match(refused.data.fields.title, /required/);
  assert.equal((await ask("POST", "/api/cards", "no json")).status, 400);
  assert.equal((await ask("POST", "/api/cards", "[1]")).status, 400);
  assert.equal((await ask("POST", "/api/cards", `"${"x".repeat(1024 * 1024)}"`)).status, 413);
  assert.equal((await ask("DELETE", "/api/cards")).status, 405);
  assert.equal((await ask("GET", "/api/cards/x")).status, 404);
  for (const path of ["/nothing", "/ui/..%2fserver.js", "/ui/none.js"]) assert.equal((await ask("GET", path)).status, 404, path);
  assert.equal((await ask("GET", "/api/cards", undefined, { origin: "http://elsewhere.example" })).status, 403);
});

test("the window has its page, and everything that the page needs", async () => {
  const page = await ask("GET", "/");
  assert.equal(page.status, 200);
  const needed = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path);
  for (const path of [...needed, "/ui/boot.js", "/ui/views.js", "/ui/model.js"]) assert.equal((await ask("GET", path)).status, 200, path);
  assert.deepEqual((await ask("GET", "/health")).data, { status: "ok" });
  assert.equal((await ask("HEAD", "/")).text, "");
  assert.deepEqual(opened, [[sampleModel.window, app.address]]);
});

test("this app keeps what its own model says", async (context) => {
  const own = await run(model, [], { ...quiet, env: { DATA_DIR: join(folder, "own") }, open: () => {} });
  context.after(() => own.server.close());
  for (const { path } of model.entities) assert.equal((await fetch(new URL(path, own.address))).status, 200, path);
});

test("the window's menu ends the app", async () => {
  const own = await run(sampleModel, ["--data", join(folder, "quit")], { ...quiet, env: {}, open: () => {} });
  const closed = new Promise((resolve) => own.server.on("close", resolve));
  const response = await fetch(new URL("/api/quit", own.address), { method: "POST", headers: { connection: "close" } });
  assert.equal(response.status, 202);
  await response.text();
  await closed;
});

test("the packed folder has a launcher that says its version, helps, and refuses what it does not know", async () => {
  const packed = join(folder, "packed");
  const bytes = await pack(model, packed);
  assert.ok(bytes <= promises.packageMaxKb * 1024, `${bytes} bytes`);
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
