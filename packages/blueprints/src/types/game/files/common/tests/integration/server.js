import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { site } from "#server/site.js";
import { createStaticServer, fileFor } from "#server/static-server.js";

const server = createStaticServer(site);
let address;

before(async () => {
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

test("the page has a canvas, whatever the seed", async () => {
  for (const path of ["/", "/?seed=42"]) {
    const response = await fetch(address + path);
    assert.equal(response.status, 200);
    assert.match(response.headers.get("content-type"), /text\/html/);
    assert.match(await response.text(), /<canvas/);
  }
});

test("every script and style that the page needs is served", async () => {
  const open = ["/web/main.js", "/web/style.css"];
  const seen = new Set();
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (seen.has(path)) continue;
    seen.add(path);
    const response = await fetch(address + path);
    assert.equal(response.status, 200, path);
    const text = await response.text();
    for (const [, other] of text.matchAll(/^import .*"(\.[^"]+)";$/gm)) open.push(new URL(other, address + path).pathname);
  }
  assert.ok(seen.has("/engine/step-level.js"));
});

test("the server says that it is well", async () => {
  const response = await fetch(`${address}/health`);
  assert.equal(response.status, 200);
  assert.deepEqual(await response.json(), { status: "ok" });
});

test("nothing else is served, and nothing can be changed", async () => {
  for (const path of ["/nothing", "/package.json", "/web/", "/web/..%2fpackage.json", "/server/main.js"]) {
    assert.equal((await fetch(address + path)).status, 404, path);
  }
  assert.equal(fileFor(site, "/web/../package.json"), undefined);
  assert.equal((await fetch(address, { method: "POST" })).status, 405);
  const head = await fetch(address, { method: "HEAD" });
  assert.deepEqual([head.status, await head.text()], [200, ""]);
});
