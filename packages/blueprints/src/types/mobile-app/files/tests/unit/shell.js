import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { model } from "#app/model.js";
import { control } from "#app/records/controls.js";
import { dayOf } from "#app/records/dates.js";
import { problemsWith } from "#app/records/fields.js";
import { openStore } from "#app/store.js";
import { site } from "#server/site.js";
import { fileFor } from "#server/static-server.js";

const bytesOf = (path) => readFileSync(new URL(fileFor(site, path), site.root));
const read = (path) => bytesOf(path).toString("utf8");
const worker = read("/sw.js");
const css = read("/app/style.css");
const precached = JSON.parse(/^const files = (\[[^\]]*\]);$/m.exec(worker)[1]);

test("everything that the app needs is kept for when there is no signal", () => {
  for (const { path } of model.screens) assert.ok(precached.includes(path), path);
  for (const path of precached) assert.ok(read(path).length > 0, path);
  const scripts = readdirSync(new URL("app/", site.root), { recursive: true }).filter((name) => name.endsWith(".js"));
  const needed = scripts.map((name) => name.replaceAll("\\", "/")).filter((name) => name !== "sample-model.js");
  for (const name of needed) assert.ok(precached.includes(`/app/${name}`), name);
});

test("no file asks another host for anything", () => {
  for (const path of precached) {
    const others = read(path).match(/(?:src|href|url|fetch|import)\s*[=(]?\s*["'(]?(?:https?:)?\/\/[^"')\s]+/g) ?? [];
    assert.deepEqual(others, [], path);
  }
});

test("everything that can be touched is large enough", () => {
  const size = Number(/--target: (\d+)px/.exec(css)[1]);
  assert.ok(size >= 44, `${size}`);
  for (const selector of ["button", "input", "nav a", ".about"]) {
    const rule = css.split("}").find((block) => block.split("{")[0].split(",").some((part) => part.trim() === selector));
    assert.match(rule, /min-height: var\(--target\)/, selector);
  }
});

test("texts stand out from what is behind them, by day and by night", () => {
  for (const palette of css.split("@media (prefers-color-scheme: dark)").filter((part) => part.includes("--ground:"))) {
    const colour = (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(palette)[1];
    const pairs = [["text", "ground"], ["muted", "ground"], ["on-theme", "theme"], ["error", "ground"]];
    for (const [front, behind] of pairs) assert.ok(contrast(colour(front), colour(behind)) >= 4.5, `${front} on ${behind}`);
  }
});

test("every control has a label, and what is wrong belongs to it", () => {
  for (const field of model.entities.flatMap(({ fields }) => fields)) {
    const markup = control(field, null, "is required");
    const [, id] = /<label for="([^"]+)"/.exec(markup);
    assert.match(markup, new RegExp(`<(?:input|select|textarea) [^>]*id="${id}"[^>]*aria-invalid="true" aria-describedby="${id}-error`));
  }
});

test("the app can be installed", () => {
  const manifest = JSON.parse(read("/manifest.webmanifest"));
  assert.ok(manifest.name && manifest.short_name && manifest.start_url === "/");
  assert.ok(["standalone", "fullscreen", "minimal-ui"].includes(manifest.display));
  for (const { src, sizes, type } of manifest.icons) {
    if (type === "image/svg+xml") assert.match(read(src), /^<svg/);
    else assert.equal(sizes, pngSize(bytesOf(src)), src);
  }
  const has = (size, purpose) => manifest.icons.some((icon) => icon.sizes === size && icon.purpose === purpose);
  assert.ok(has("192x192", "any") && has("512x512", "any") && has("512x512", "maskable"));
});

test("what is there from the start is as it should be", () => {
  const today = dayOf(new Date());
  const store = openStore(model, { getItem: () => null, setItem: () => {} }, today);
  const around = { model, today, all: store.all };
  for (const entity of model.entities) {
    assert.equal(store.all(entity.name).length, entity.seed.length);
    for (const record of store.all(entity.name)) assert.deepEqual(problemsWith(entity, record, around), {}, `${entity.name} ${record.id}`);
  }
});

/** The width and height that a PNG says it has. */
function pngSize(bytes) {
  assert.equal(bytes.toString("latin1", 1, 4), "PNG");
  return `${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`;
}

/** The contrast of two colours, as the guidelines on accessible content have it. */
function contrast(one, other) {
  const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
