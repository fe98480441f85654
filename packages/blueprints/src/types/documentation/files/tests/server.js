import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { buildSite } from "#src/build-site.js";
import { loadSite } from "#src/load-site.js";
import { answerTo, createSiteServer } from "#src/server.js";

const files = buildSite(await loadSite());
const server = createSiteServer(files);
let address;

before(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  address = `http://127.0.0.1:${server.address().port}`;
});

after(() => {
  server.close();
  server.closeAllConnections();
});

test("every file of the site is served", async () => {
  for (const [path, text] of files) {
    if (path === "/404.html") continue;
    const response = await fetch(address + encodeURI(path));
    assert.equal(response.status, 200, path);
    assert.equal(await response.text(), text);
    assert.match(response.headers.get("content-security-policy"), /default-src 'self'/);
  }
});

test("what is not there is answered with a page that says so", async () => {
  const response = await fetch(`${address}/no/such/page`);
  assert.equal(response.status, 404);
  assert.ok((await response.text()).includes("There is no such page"));
  assert.equal(answerTo(files, "GET", "/%").status, 404);
});

test("only reading is allowed, and a missing slash is added", async () => {
  assert.equal((await fetch(address, { method: "POST" })).status, 405);
  assert.equal(await (await fetch(address, { method: "HEAD" })).text(), "");
  assert.deepEqual(answerTo(new Map([["/a/", ""]]), "GET", "/a?b").headers.location, "/a/");
  assert.equal((await fetch(`${address}/health`)).status, 200);
});
