import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { routesSource } from "../../../tools/write-routes.ts";
import { openPages } from "../../blueprints/tests/support/browser.ts";
import { createTestApp, smallDocument } from "../../server/tests/support/test-app.ts";

const openPage = openPages();

const maxBundleBytes = 15_000;

const bundle = await build({
  entryPoints: [fileURLToPath(new URL("../src/index.ts", import.meta.url))],
  bundle: true,
  minify: true,
  format: "iife",
  globalName: "slipway",
  platform: "browser",
  target: ["chrome116", "firefox124", "safari17.4"],
  write: false,
  metafile: true,
});
const script = bundle.outputFiles[0]!.text;

test("a page's bundle has at most 15 kB compressed, and no code but the client's own", () => {
  expect(gzipSync(script).length).toBeLessThan(maxBundleBytes);
  const foreign = Object.keys(bundle.metafile.inputs).filter((path) => !path.startsWith("packages/client/src/"));
  expect(foreign).toEqual([]);
});

test("the client's routes are those of the contract", () => {
  const written = readFileSync(new URL("../src/routes.ts", import.meta.url), "utf8");
  expect(written, "run 'npm run generate'").toBe(routesSource());
});

test("a page creates a project, watches it, lists it and downloads from it", { tags: "long" }, async ({ skip }) => {
  const { http, adminToken } = await createTestApp();
  const url = await http.listen({ host: "127.0.0.1", port: 0 });
  const page = await openPage(`${url}/docs`);
  if (page === undefined) return skip("no Chromium is installed");
  const use = async (given: { url: string; token: string; document: string }) => {
    const { createClient, isSlipwayError } = slipway;
    const client = createClient(given);
    const { project_id } = await client.projects.create(given.document);
    const events: string[] = [];
    for await (const { event } of client.projects.watch(project_id)) {
      events.push(event);
      break;
    }
    await client.artifacts.upload(project_id, new Blob(["hello"]), { type: "documentation", path: "a.txt" });
    const { chunks } = await client.artifacts.download(project_id, "a.txt");
    let bytes = 0;
    for await (const chunk of chunks) bytes += chunk.length;
    const ids: string[] = [];
    for await (const project of client.projects.list({ limit: 1 })) ids.push(project.project_id);
    const refused = await client.projects
      .read("proj_none")
      .catch((error: unknown) => isSlipwayError(error, "not_found"));
    return { events, bytes, isListed: ids.includes(project_id), refused };
  };
  const given = JSON.stringify({ url, token: adminToken, document: smallDocument("page") });
  expect(await page.evaluate(`${script};(${use})(${given})`)).toEqual({
    events: ["project.created"],
    bytes: 5,
    isListed: true,
    refused: true,
  });
});

/** What the bundle leaves in the page. */
declare const slipway: typeof import("../src/index.ts");
