import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { buildSite } from "#src/build-site.js";
import { loadSite } from "#src/load-site.js";
import { answerTo, createSiteServer } from "#src/server.js";

const site = await loadSite();
const { redirects, notFound } = site.settings;
const files = buildSite(site);
const server = createSiteServer(files, redirects);
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
    if (path === "/404.html" || Object.hasOwn(redirects, path)) continue;
    const response = await fetch(address + encodeURI(path));
    assert.equal(response.status, 200, path);
    assert.equal(await response.text(), text);
    assert.match(response.headers.get("content-security-policy"), /default-src 'self'/);
  }
});

test("what is not there is answered with a page that says so", async () => {
  const response = await fetch(`${address}/no/such/page`);
  assert.equal(response.status, 404);
  assert.equal(await response.text(), files.get("/404.html"));
  assert.match(files.get("/404.html"), /<h1>/);
  assert.notEqual(notFound.title, "");
  assert.equal(answerTo(files, "GET", "/%").status, 404);
});

test("only reading is allowed, and a missing slash is added", async () => {
  assert.equal((await fetch(address, { method: "POST" })).status, 405);
  assert.equal(await (await fetch(address, { method: "HEAD" })).text(), "");
  assert.deepEqual(answerTo(new Map([["/a/", ""]]), "GET", "/a?b").headers.location, "/a/");
  assert.equal((await fetch(`${address}/health`)).status, 200);
});

test("old paths lead to where things are now", async () => {
  for (const [from, to] of Object.entries(redirects)) {
    const response = await fetch(address + from, { redirect: "manual" });
    assert.equal(response.status, 301, from);
    assert.equal(decodeURI(response.headers.get("location")), decodeURI(to));
  }
  const answer = (url) => answerTo(new Map(), "GET", url, { "/old/": "/new/%20x", "/far/": "https://a.example/?b" });
  assert.equal(answer("/old/").headers.location, "/new/%20x");
  assert.equal(answer("/old").status, 301);
  assert.equal(answer("/far/?c").headers.location, "https://a.example/?b");
});
