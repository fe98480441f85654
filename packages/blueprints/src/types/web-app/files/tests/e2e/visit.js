import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { exampleOf, isExampleKnown } from "#testing/example-record.js";
import { unlabelledControls } from "#testing/labels.js";
import { ownModel as model, startApp } from "#testing/start-app.js";

const execute = promisify(execFile);
const resourceOf = ({ resource }) => model.resources.find(({ name }) => name === resource);
const pageOf = (kind, resource) => model.pages.find((page) => page.kind === kind && page.resource === resource.name);

/** What a person would write into the fields of a form. */
function filledForm({ fields: names }, resource) {
  const example = exampleOf(resource);
  const pairs = names.map((name) => [name, example[name]]).filter(([, value]) => value !== null && value !== false);
  return new URLSearchParams(
    pairs.map(([name, value]) => [name, typeof value === "object" ? [value].flat().join(", ") : String(value)]),
  );
}

for (const page of model.pages.filter(({ kind, path }) => kind === "form" && !path.includes("{"))) {
  const resource = resourceOf(page);
  if (resource === undefined || !isExampleKnown(resource)) continue;

  test(`${page.title}: the form is filled in and sent, and what was sent can be seen`, async (t) => {
    const { call } = await startApp(t);
    const shown = await call("GET", page.path);
    assert.equal(shown.status, 200);
    const raw = filledForm(page, resource).toString();
    const sent = await call("POST", page.path, {
      raw,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    assert.equal(sent.status, 303, sent.text);
    assert.equal((await call("GET", sent.headers.get("location"))).status, 200);
    const edit = pageOf("edit", resource);
    if (edit !== undefined) assert.equal((await call("GET", edit.path.replace("{id}", "1"))).status, 200);
  });
}

test("every page that can be opened at once is there, with a label on every control", async (t) => {
  const { call } = await startApp(t);
  for (const { path } of model.pages.filter((page) => !page.path.includes("{"))) {
    const { status, text } = await call("GET", path, { headers: { accept: "text/html" } });
    assert.equal(status, 200, path);
    assert.deepEqual(unlabelledControls(text), []);
  }
  if (model.site.has_manifest)
    assert.equal(JSON.parse((await call("GET", "/manifest.webmanifest")).text).name, model.site.title);
  if (model.site.has_service_worker) assert.equal((await call("GET", "/service-worker.js")).status, 200);
});

test("a browser shows the start page", async (t) => {
  const browser = await findBrowser();
  if (browser === undefined) return t.skip("There is no browser here.");
  const { url } = await startApp(t);
  const shown = await open(browser, url);
  if (shown === undefined) return t.skip("The browser here does not start.");
  assert.match(shown, /<h1>/);
});

async function findBrowser() {
  const names = "chromium chromium-browser google-chrome";
  const found = await execute("sh", ["-c", `command -v ${names} | head -n 1`]).catch(() => ({ stdout: "" }));
  return found.stdout.trim() || undefined;
}

/** The page as the browser has it, scripts and all. */
async function open(browser, address) {
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", address];
  const { stdout } = await execute(browser, options, { timeout: 20_000 }).catch(() => ({ stdout: undefined }));
  return stdout;
}
