import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { model } from "#app/model.js";
import { promises } from "#app/promises.js";
import { blank, check } from "#app/records.js";
import { site } from "#server/site.js";
import { fileFor } from "#server/static-server.js";

const bytesOf = (path) => readFileSync(new URL(fileFor(site, path), site.root));
const read = (path) => bytesOf(path).toString("utf8");
const worker = read("/sw.js");
const css = read("/app/style.css");
const precached = JSON.parse(/^const files = (\[[^\]]*\]);$/m.exec(worker)[1]);

test("everything that the app needs is kept for when there is no signal", () => {
  for (const path of promises.precached) assert.ok(precached.includes(path), path);
  for (const { path } of model.screens) assert.ok(precached.includes(path), path);
  for (const path of precached) assert.ok(read(path).length > 0, path);
  const scripts = readdirSync(new URL("app/", site.root)).filter((name) => name.endsWith(".js"));
  const needed = scripts.filter((name) => !["promises.js", "sample-model.js"].includes(name));
  for (const name of needed) assert.ok(precached.includes(`/app/${name}`), name);
});

test("no file asks another host for anything", () => {
  for (const path of precached) {
    const others = read(path).match(/(?:src|href|url|fetch|import)\s*[=(]?\s*["'(]?(?:https?:)?\/\/[^"')\s]+/g) ?? [];
    assert.ok(others.length <= promises.otherHostsMax, `${path}: ${others}`);
  }
});

test("everything that can be touched is large enough", () => {
  const size = Number(/--target: (\d+)px/.exec(css)[1]);
  assert.ok(size >= promises.targetMinPx, `${size}`);
  for (const selector of ["button", "input", "nav a", ".about"]) {
    const rule = css.split("}").find((block) => block.split("{")[0].split(",").some((part) => part.trim() === selector));
    assert.match(rule, /min-height: var\(--target\)/, selector);
  }
});

test("texts stand out from what is behind them", () => {
  const colour = (name) => new RegExp(`--${name}: (#[0-9a-f]{6})`).exec(css)[1];
  const pairs = [["text", "ground"], ["muted", "ground"], ["on-theme", "theme"], ["error", "ground"]];
  for (const [front, behind] of pairs) {
    const ratio = contrast(colour(front), colour(behind));
    assert.ok(ratio >= promises.contrastMin, `${front} on ${behind}: ${ratio.toFixed(2)}`);
  }
});

test("the first load is small", () => {
  const bytes = precached.reduce((sum, path) => sum + bytesOf(path).length, 0);
  assert.ok(bytes <= promises.firstLoadMaxKb * 1024, `${bytes} bytes`);
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
  for (const entity of model.entities) {
    for (const values of entity.seed) {
      const plain = Object.entries(values).filter(([, value]) => typeof value !== "object");
      assert.deepEqual(check(entity, Object.fromEntries(plain.filter(([, value]) => value !== "today")), blank(entity, "2026-03-01")).errors, {});
    }
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
