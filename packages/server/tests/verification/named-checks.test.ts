import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { AcceptanceReport } from "@slipway/contract";
import { describe, expect, test } from "vitest";
import { untilEnded } from "../support/engine/follow.ts";
import { createStage } from "../support/engine/stage.ts";

const { app, play } = await createStage();

/** Runs a document whose result has these files; gives its acceptance lines by key. */
async function run(parts: object, files: Readonly<Record<string, string>>) {
  const id = await play(parts, async ({ folder, task }) => {
    if (task.role === "planner") return undefined;
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      if (text.startsWith("→")) await symlink(text.slice(1), join(folder, path));
      else await writeFile(join(folder, path), text);
    }
    return { is: "done" };
  });
  await untilEnded(app, id);
  const { lines } = (await app.call({ url: `/api/v1/projects/${id}/acceptance` })).json<AcceptanceReport>();
  return (key: string) => lines.find(({ pointer }) => pointer === `/acceptance/${key}`);
}

test("files that must exist are looked for in the result, after its commands, and behind no link", async () => {
  const passing = { acceptance: { files_exist: ["a.txt", "docs", "made.txt"], commands: ["touch made.txt"] } };
  expect((await run(passing, { "a.txt": "a", "docs/b.md": "b" }))("files_exist")).toMatchObject({
    verdict: "passed",
    reason: "All 3 are there.",
  });
  const failing = { acceptance: { files_exist: ["a.txt", "docs/c.md", "link.txt", "../a", "/etc/passwd"] } };
  expect((await run(failing, { "a.txt": "a", "docs/b.md": "b", "link.txt": "→a.txt" }))("files_exist")).toMatchObject({
    verdict: "failed",
    reason: "Not there: docs/c.md, link.txt, ../a, /etc/passwd.",
  });
});

test("scores of a model are those that its own evaluation writes while it is built", { tags: "long" }, async () => {
  const evaluate = `import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("reports", { recursive: true });
writeFileSync("reports/metrics.json", JSON.stringify({ metrics: { f1: 0.92, recall: 0.5, mae: 3, odd: "x" } }));`;
  const of = await run(
    {
      outcome_type: "ml-pipeline",
      scripts: { build: "node evaluate.mjs" },
      acceptance: {
        performance: { f1: 0.9, recall: ">= 99 %", mae: 3, odd: 1, carbon_kg: 1 },
        metrics: { f1: ">= 0.9", recall: 0.8 },
      },
    },
    { "evaluate.mjs": evaluate },
  );
  expect(of("performance/f1")).toMatchObject({
    verdict: "passed",
    reason: "f1 is 0.92, asked for at least 0.9. The evaluation of the result wrote it to reports/metrics.json.",
    measured: [{ name: "f1", value: 0.92, unit: "share" }],
  });
  expect(of("performance/recall")).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("recall is 0.5"),
  });
  expect(of("performance/mae")).toMatchObject({ verdict: "passed" });
  expect(of("performance/odd")).toMatchObject({ verdict: "not_checked" });
  expect(of("performance/carbon_kg")).toMatchObject({
    verdict: "not_checked",
    reason: "reports/metrics.json has no number 'carbon_kg'; it has f1, recall, mae.",
  });
  expect(of("metrics")).toMatchObject({ verdict: "failed", reason: expect.stringContaining("recall is 0.5") });
});

test("scores that were committed, and not measured here, count for nothing", async () => {
  const of = await run(
    { outcome_type: "ml-pipeline", scripts: { build: "true" }, acceptance: { performance: { accuracy: 0.9 } } },
    { "reports/metrics.json": JSON.stringify({ metrics: { accuracy: 1 } }) },
  );
  expect(of("performance/accuracy")).toMatchObject({
    verdict: "not_checked",
    reason: expect.stringContaining("wrote no reports/metrics.json"),
  });
});

describe("of a package", () => {
  const limits = { runtime_dependencies_max: 1, package_size_max_kb: 2 };
  const library = { outcome_type: "library", acceptance: limits };
  const manifest = (more: object) => JSON.stringify({ name: "p", version: "1.0.0", ...more });

  test("dependencies and size are counted", { tags: "long" }, async () => {
    const of = await run(library, {
      "package.json": manifest({ dependencies: { a: "1" }, devDependencies: { b: "1" }, files: ["src"] }),
      "src/index.js": "x".repeat(500),
      "test/large.js": "x".repeat(5_000),
    });
    expect(of("runtime_dependencies_max")).toMatchObject({ verdict: "passed" });
    expect(of("package_size_max_kb")).toMatchObject({ verdict: "passed" });
  });

  test("more than was asked for fails, wherever it is written, and whatever a command makes of it afterwards", async () => {
    const hides = { ...library, acceptance: { ...limits, commands: ["rm README.md && echo {} > package.json"] } };
    const of = await run(hides, {
      "package.json": manifest({ dependencies: { a: "1" }, peerDependencies: { c: "1" }, files: ["src/"] }),
      "src/deep/index.js": "x".repeat(1_000),
      "README.md": "x".repeat(2_000),
    });
    expect(of("runtime_dependencies_max")).toMatchObject({
      verdict: "failed",
      reason: "package.json names 2 runtime dependencies (a, c), asked for at most 1.",
    });
    expect(of("package_size_max_kb")).toMatchObject({
      verdict: "failed",
      reason: expect.stringMatching(/KB in 3 files/),
    });
  });

  test("what cannot be told is not checked", { tags: "long" }, async () => {
    const of = await run(library, { "pyproject.toml": "[project]" });
    expect(of("runtime_dependencies_max")).toMatchObject({ verdict: "not_checked" });
    expect(of("package_size_max_kb")).toMatchObject({ verdict: "not_checked" });
    const globs = await run(library, { "package.json": manifest({ files: ["*.js", "!b.js"] }) });
    expect(globs("package_size_max_kb")).toMatchObject({ verdict: "not_checked" });
    const bundled = await run(library, { "package.json": manifest({ files: ["src"], bundleDependencies: ["large"] }) });
    expect(bundled("package_size_max_kb")).toMatchObject({ verdict: "not_checked" });
  });
});

test("the first load is the page with its scripts, their imports and its styles", { tags: "long" }, async () => {
  const page = `<link rel="icon" href="/big.png"><link href='style.css' rel=stylesheet><script type=module src="/app.js"></script>
    <script src="https://elsewhere.example/x.js"></script>`;
  const files = {
    "/": page,
    "/style.css": "c".repeat(1_000),
    "/app.js": `import { a } from "./part.js";`,
    "/part.js": "p".repeat(2_000),
  };
  const program = `
import { createServer } from "node:http";
const files = ${JSON.stringify(files)};
createServer((request, response) => {
  const text = files[request.url];
  response.writeHead(text === undefined ? 404 : 200).end(text);
}).listen(process.env.PORT, process.env.HOST);
`;
  const parts = (kb: number) => ({ acceptance: { first_load_max_kb: kb }, scripts: { start: "node server.mjs" } });
  const reason = expect.stringMatching(/^The first load of \/ is 3\.\d+ KB in 4 files, asked for at most/);
  expect((await run(parts(4), { "server.mjs": program }))("first_load_max_kb")).toMatchObject({
    verdict: "passed",
    reason,
  });
  expect((await run(parts(3), { "server.mjs": program }))("first_load_max_kb")).toMatchObject({
    verdict: "failed",
    reason,
  });
  const lost = program.replace('"/part.js"', '"/other.js"');
  expect((await run(parts(4), { "server.mjs": lost }))("first_load_max_kb")).toMatchObject({
    verdict: "failed",
    reason: "GET /part.js, which the page needs, answered 404.",
  });
});

test("links are followed from page to page, and those that lead nowhere fail the line", { tags: "long" }, async () => {
  const files = {
    "/": '<!-- <a href="/old"> --><a href="/guide#start">Guide</a> <a href="https://elsewhere.example/">E</a>',
    "/guide": '<h1 id="start">Guide</h1><a href="./">Home</a><a href="mailto:a@b.example">M</a><img src=logo.png>',
    "/logo.png": "png",
  };
  const program = (changes: Readonly<Record<string, string>>) => `
import { createServer } from "node:http";
const files = ${JSON.stringify({ ...files, ...changes })};
createServer((request, response) => {
  const text = files[request.url];
  response.writeHead(text === undefined ? 404 : 200, { "content-type": "text/html" }).end(text);
}).listen(process.env.PORT, process.env.HOST);
`;
  const parts = (links: unknown) => ({ acceptance: { links, broken_links: 0 }, scripts: { start: "node server.mjs" } });
  expect((await run(parts(true), { "server.mjs": program({}) }))("links")).toMatchObject({
    verdict: "passed",
    reason: "3 pages were read, and every link there is as asked for.",
  });
  const bad = program({ "/guide": '<a href="/gone">Gone</a><script>"<a href=/not-a-link>"</script>' });
  const limits = { broken_max: 0, broken_anchors_max: 0, to_other_hosts_max: 0 };
  const ofBad = await run(parts(limits), { "server.mjs": bad });
  expect(ofBad("broken_links")).toMatchObject({
    verdict: "failed",
    reason: expect.stringContaining("/gone on /guide"),
  });
  expect(ofBad("links")).toMatchObject({
    verdict: "failed",
    reason:
      "1 link leads nowhere, at most 0 may: /gone on /guide (404). " +
      "1 link names a place that its page does not have, at most 0 may: /guide#start on /. " +
      "1 link leads to another host, at most 0 may: https://elsewhere.example/ on /.",
  });
  const hidden = program({ "/guide": `${"<p>".repeat(20_000)}<h1 id=start></h1><a href="/gone">Gone</a>` });
  expect((await run(parts(true), { "server.mjs": hidden }))("links")).toMatchObject({ verdict: "not_checked" });
});
