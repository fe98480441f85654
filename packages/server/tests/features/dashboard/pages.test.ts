import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { pino } from "pino";
import { afterAll, expect, test } from "vitest";
import { buildDashboard } from "../../../../../tools/build-dashboard.ts";
import { serveDashboard } from "../../../src/features/dashboard/index.ts";
import { createHttpServer, createMetrics } from "../../../src/platform/http/index.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-pages-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
await buildDashboard(folder);
const http = await createHttpServer({
  log: pino({ level: "silent" }),
  metrics: createMetrics(),
  trustProxy: false,
  isDraining: () => false,
});
serveDashboard(http, folder);

const get = (url: string, accept = "text/html") => http.inject({ url, headers: { accept } });

test("every address of the dashboard answers browsers with the page, and programs with a problem", async () => {
  for (const url of ["/", "/projects/proj_1?tab=logs", "/new", "/sign-in", "/applications/app_1", "/webhooks/wh_1"]) {
    const page = await get(url);
    expect([page.statusCode, page.headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect((await get(url, "*/*")).json()).toMatchObject({ status: 404, code: "not_found" });
  }
});

test("an address of nothing answers browsers with the page as not found; programs and the API with a problem", async () => {
  for (const url of ["/nothing", "/agents/1", "/nothing?next=%2F", "/apis"]) {
    const page = await get(url);
    expect([page.statusCode, page.headers["content-type"]], url).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.body).toContain('<div id="app">');
    expect(page.headers["content-security-policy"]).toContain("script-src 'self'");
    expect(page.headers.etag).toBeUndefined();
    const head = await http.inject({ method: "HEAD", url, headers: { accept: "text/html" } });
    expect([head.statusCode, head.headers["content-type"]], url).toEqual([404, page.headers["content-type"]]);
    expect((await get(url, "application/json")).json(), url).toMatchObject({ status: 404, code: "not_found" });
  }
  for (const url of ["/api", "/api/v1/nothing", "/v1/nothing"])
    expect((await get(url)).json(), url).toMatchObject({ status: 404, code: "not_found" });
  const sent = await http.inject({ method: "POST", url: "/nothing", headers: { accept: "text/html" } });
  expect(sent.json()).toMatchObject({ status: 404, code: "not_found" });
});

test("the page has an icon of its own, which its policy allows", async () => {
  const { body, headers } = await get("/");
  expect(headers["content-security-policy"]).toContain("img-src 'self'");
  const [, icon = ""] = /<link rel="icon" type="image\/svg\+xml" href="(.+?)">/.exec(body)!;
  const answer = await get(icon, "image/*");
  expect([answer.statusCode, answer.headers["content-type"]]).toEqual([200, "image/svg+xml"]);
  expect(answer.body).toMatch(/^<svg [^>]*viewBox/);
  expect(answer.body).not.toMatch(/<style|<script|style=/);
});

test("the page runs nothing that is inline, evaluated or from elsewhere, and is shown in no frame", async () => {
  const { headers, body } = await get("/");
  const policy = String(headers["content-security-policy"]);
  expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
  expect(policy).not.toMatch(/unsafe-|\*|https?:/);
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers["x-frame-options"]).toBe("DENY");
  expect(body).not.toMatch(/<script(?![^>]* src=)|<style|\son\w+=/);
});

test("files are cached for ever by their names, and none but those of the build are served", async () => {
  const [, script = ""] = /src="(.+?)"/.exec((await get("/")).body)!;
  const answer = await get(script, "*/*");
  expect(answer.headers).toMatchObject({ "cache-control": "public, max-age=31536000, immutable" });
  expect(answer.headers["content-type"]).toContain("javascript");
  for (const url of ["/assets/none.js", "/assets/..%2findex.html", "/assets/../index.html", "/assets/"])
    expect((await get(url)).statusCode, url).toBe(404);
});

test("the first load has at most 250 kB of script, compressed", async () => {
  const [, script = ""] = /src="(.+?)"/.exec((await get("/")).body)!;
  const loaded = new Map<string, number>();
  const load = async (url: string) => {
    if (loaded.has(url)) return;
    const { rawPayload, body } = await get(url, "*/*");
    loaded.set(url, gzipSync(rawPayload).length);
    for (const [, part] of body.matchAll(/(?:from|import)"\.\/(part-\w+\.js)"/g)) await load(`/assets/${part}`);
  };
  await load(script);
  expect(loaded.size).toBeGreaterThan(1);
  expect([...loaded.values()].reduce((sum, bytes) => sum + bytes)).toBeLessThan(250_000);
});
