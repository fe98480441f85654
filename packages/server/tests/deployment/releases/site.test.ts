import { execFileSync } from "node:child_process";
import { mkdir, symlink } from "node:fs/promises";
import { type IncomingHttpHeaders, request } from "node:http";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../../../src/platform/sandbox/index.ts";
import { ampleLimits } from "../../support/ample-limits.ts";
import { documentOf, releaseStage, succeeded } from "../../support/releases/stage.ts";

test("pages without a server of their own are served: whole, in parts, and only if they changed", async () => {
  const get = await servedSite({ "dist/index.html": "<h1>home</h1>", "dist/a/index.html": "a", "dist/b.html": "b" });
  const home = await get("/");
  expect(home).toMatchObject({ status: 200, body: "<h1>home</h1>" });
  expect(home.headers).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "content-length": "13",
    "x-content-type-options": "nosniff",
  });
  const etag = home.headers.etag!;
  expect(await get("/", { "If-None-Match": etag })).toMatchObject({ status: 304, body: "" });
  expect(await get("/", { "If-None-Match": '"other"' })).toMatchObject({ status: 200 });
  const part = await get("/index.html", { Range: "bytes=4-7", "If-Range": etag });
  expect(part).toMatchObject({ status: 206, body: "home", headers: { "content-range": "bytes 4-7/13" } });
  expect(await get("/", { Range: "bytes=-5" })).toMatchObject({ status: 206, body: "</h1>" });
  expect(await get("/", { Range: "bytes=4-7", "If-Range": '"other"' })).toMatchObject({ status: 200 });
  expect(await get("/", { Range: "bytes=13-" })).toMatchObject({ status: 416 });
  expect(await get("/a/")).toMatchObject({ status: 200, body: "a" });
  expect(await get("/a?x=1")).toMatchObject({ status: 308, headers: { location: "/a/?x=1" } });
  expect(await get("/b")).toMatchObject({ status: 200, body: "b" });
  expect(await get("/c")).toMatchObject({ status: 404 });
  expect(await get("/", {}, "HEAD")).toMatchObject({ status: 200, body: "", headers: { "content-length": "13" } });
  expect(await get("/", {}, "POST")).toMatchObject({ status: 405 });
});

test("nothing outside of the site's folder is served, nothing hidden, and nothing behind a link", async () => {
  const files = {
    "web/index.html": "home",
    "web/404.html": "our own page",
    "web/.env": "secret",
    "web/.well-known/security.txt": "contact",
    "secret.txt": "secret",
  };
  const get = await servedSite(files, async (folder) => {
    await symlink("../secret.txt", join(folder, "web/link.txt"));
    await symlink("..", join(folder, "web/up"));
    await mkdir(join(folder, "web/evil.example"));
    execFileSync("mkfifo", [join(folder, "web/pipe")]);
  });
  for (const path of [
    ...[
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/a/../../secret.txt",
      "/link.txt",
      "/up/secret.txt",
    ],
    ...["/.env", "/pipe", "/%00", "/%", "/web%5c..%5csecret.txt", "/index.html/x"],
  ])
    expect(await get(path), path).toMatchObject({ status: expect.toSatisfy((status) => [400, 404].includes(status)) });
  expect((await get("/.env")).body).toBe("our own page");
  expect(await get("/.well-known/security.txt")).toMatchObject({ status: 200, body: "contact" });
  expect((await get("//evil.example")).headers.location).toBe("/evil.example/");
});

/** Publishes a site, starts its server as a deployment does, and gives a way to ask it. */
async function servedSite(files: Readonly<Record<string, string>>, change = async (_folder: string) => {}) {
  const { write, publish, folder, sandbox } = await releaseStage();
  await write(files);
  await change(folder);
  const { kind, start, files: kept } = succeeded(await publish(documentOf("documentation")));
  expect({ kind, kept }).toEqual({ kind: "site", kept: [{ path: "small.tar.gz", type: "bundle" }] });
  expect(start).toMatch(new RegExp(` ${dirname(Object.keys(files)[0]!)}$`));
  const { signal } = new AbortController();
  const readiness = { path: "/", status: 200 };
  const server = { name: "site", command: start!, folder, env: {}, limits: ampleLimits, readiness, signal };
  const started = await startServer(sandbox, { ...server, readyWithinMs: 60_000, maxErrors: 1 });
  if ("failure" in started) throw new Error(started.failure + started.output);
  onTestFinished(async () => {
    started.running.kill();
    await started.running.ended;
  });
  return (path: string, headers: Readonly<Record<string, string>> = {}, method = "GET") =>
    ask(started.url, { path, headers, method });
}

/** By `node:http`, which sends a path as it is. */
async function ask(url: string, options: { path: string; headers: Readonly<Record<string, string>>; method: string }) {
  return new Promise<{ status: number; body: string; headers: IncomingHttpHeaders }>((resolve, reject) => {
    request(url, { ...options, agent: false }, async (answer) => {
      resolve({ status: answer.statusCode!, body: await text(answer), headers: answer.headers });
    })
      .on("error", reject)
      .end();
  });
}
