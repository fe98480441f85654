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
