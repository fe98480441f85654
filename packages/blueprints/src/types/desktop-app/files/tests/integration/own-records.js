import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { model } from "#src/model.js";
import { dayOf } from "#src/records/dates.js";
import { problemsWith } from "#src/records/fields.js";
import { run } from "#src/run.js";
import { exampleRecord } from "#scripts/example-record.js";

const folder = mkdtempSync(join(tmpdir(), "own-"));
const start = (name) => run({ ...model, options: [{ name: "--no-window", does: "no_window" }] }, ["--no-window"], { print: () => {}, env: { DATA_DIR: join(folder, name) } });
let app;
let other;
let count = 0;

before(async () => {
  app = await start("one");
  other = await start("other");
});
after(() => {
  for (const { server } of [app, other]) server.close();
  rmSync(folder, { recursive: true });
});

async function ask(method, path, body, address = app.address) {
  const response = await fetch(new URL(path, address), { method, ...(body !== undefined && { body }) });
  const text = await response.text();
  return { status: response.status, text, data: text === "" ? undefined : response.headers.get("content-type").includes("json") ? JSON.parse(text) : text };
}

const entityOf = (name) => model.entities.find((entity) => entity.name === name);

/** The id of a record of the entity: one that is there, else one that is made. */
async function someId(name, above = []) {
  const [first] = (await ask("GET", entityOf(name).path)).data;
  return first?.id ?? (await made(name, above)).data.id;
}

async function made(name, above = []) {
  assert.ok(!above.includes(name), `${name} needs one of itself`);
  const ids = new Map();
  for (const { type, to, required } of entityOf(name).fields)
    if (type === "reference" && required) ids.set(to, await someId(to, [...above, name]));
  count += 1;
  return ask("POST", entityOf(name).path, JSON.stringify(exampleRecord(entityOf(name), count, (to) => ids.get(to))));
}

test("every window has its page, and everything that the page needs", async () => {
  for (const { path } of model.windows) {
    const page = await ask("GET", path);
    assert.equal(page.status, 200, path);
    assert.match(page.text, /<html lang="\w+">.*<h1>.*<nav id="list" aria-label=.*<main id="detail">/s);
    const needed = [...page.text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, file]) => file);
    for (const file of [...needed, "/ui/boot.js", "/ui/views.js", "/ui/model.js", "/records/controls.js"]) assert.equal((await ask("GET", file)).status, 200, file);
    assert.equal((await fetch(new URL(path, app.address), { method: "HEAD" })).status, 200);
  }
  assert.deepEqual((await ask("GET", "/health")).data, { status: "ok" });
});

test("what is there from the start is there, and is right", async () => {
  const all = new Map();
  for (const { name, path } of model.entities) all.set(name, (await ask("GET", path)).data);
  const around = { model, today: dayOf(new Date()), all: (name) => all.get(name) };
  for (const entity of model.entities) {
    assert.equal(all.get(entity.name).length, entity.seed.length, entity.name);
    for (const record of all.get(entity.name)) assert.deepEqual(problemsWith(entity, record, around), {}, `${entity.name} ${record.id}`);
  }
});

for (const entity of model.entities) {
  const needed = entity.fields.filter(({ required, initial, type }) => required && initial === undefined && type !== "boolean");
  if (needed.length > 0) {
    test(`a ${entity.name} without what is required is refused`, async () => {
      const refused = await ask("POST", entity.path, "{}");
      assert.equal(refused.status, 422);
      for (const { name } of needed) assert.match(refused.data.fields[name], /required/);
    });
  }
  // A rule or a pattern may ask for what no example can guess.
  const isPlain = entity.rules.length === 0 && entity.fields.every(({ pattern, required }) => pattern === undefined || !required);
  if (isPlain) {
    test(`a ${entity.name} is kept, read again and deleted`, async () => {
      const { status, text, data } = await made(entity.name);
      assert.equal(status, 201, text);
      assert.deepEqual((await ask("GET", `${entity.path}/${data.id}`)).data, data);
      for (const { name } of entity.computed) assert.ok(Object.hasOwn(data, name), name);
      assert.equal((await ask("PATCH", `${entity.path}/${data.id}`, "{}")).status, 200);
      assert.equal((await ask("DELETE", `${entity.path}/${data.id}`)).status, 204);
      assert.equal((await ask("GET", `${entity.path}/${data.id}`)).status, 404);
    });
  }
}

for (const format of model.exports.filter((one) => model.imports.includes(one))) {
  test(`everything that is saved as ${format} can be read from it`, async () => {
    for (const { path } of model.entities) {
      const { text } = await ask("GET", `${path}.${format}`);
      const read = await ask("POST", `${path}.${format}`, text, other.address);
      assert.equal(read.status, 200, read.text);
    }
    for (const { path } of model.entities) assert.deepEqual((await ask("GET", path, undefined, other.address)).data, (await ask("GET", path)).data);
  });
}
