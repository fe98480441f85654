import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { findOutcomeType } from "../src/index.ts";
import { apiDocument, withoutDataModel } from "./support/api-documents.ts";
import {
  type Built,
  buildDocument,
  expectSameBytes,
  memoryWorkspace,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { runIn, startProject, token } from "./support/run-project.ts";

const corkboard = await readExample("api");

const phased = apiDocument({
  scripts: { start: "node server.js", test: "npm run check" },
  auth: { scheme: "bearer", token_variable: "BOARD_TOKEN", protects: ["DELETE /notes/{id}"] },
  data_model: { note: { fields: { text: { type: "text", required: true }, rank: "integer" } } },
  phases: {
    first: { features: ["notes", "health"], acceptance: { http_endpoints: [{ path: "/health" }, { path: "/notes" }] } },
    second: {
      depends_on: ["first"],
      features: ["boards", "reports"],
      acceptance: {
        http_endpoints: [
          { path: "/boards", method: "POST", status: 201, body: { name: "A" } },
          { path: "/reports/daily", response_contains: "daily" },
        ],
      },
    },
  },
  acceptance: {
    tests: [
      { file: "spec/**/*.spec.js", type: "unit" },
      { file: "spec/http/*.spec.js", type: "integration" },
    ],
  },
});

describe("what is built works", () => {
  test("the example: its own tests pass and cover it, and every request is answered as written", async () => {
    const built = await buildDocument(corkboard);
    const folder = await writeOut(built);
    expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect(unmetOf(built)).toEqual([]);
  });

  test("a document without a data model: what it asks for is read off its requests", async () => {
    const built = await buildDocument(withoutDataModel);
    const folder = await writeOut(built);
    expect(
      await runIn(folder, "node --test test/integration/resources.test.js test/integration/acceptance-*"),
    ).toMatchObject({ exitCode: 0 });
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect(unmetOf(built)).toEqual([]);
  });

  test("a document in phases: what there is works after the first task, and after all", async () => {
    const all = await buildDocument(phased);
    const start = await writeOut({ ...all, files: await filesAfterFirstTask(all) });
    expect(await runIn(start, all.scripts["test"]!)).toMatchObject({ exitCode: 0 });
    const folder = await writeOut(all);
    expect(await runIn(folder, "node --test spec/http/resources.spec.js spec/http/acceptance-*")).toMatchObject({
      exitCode: 0,
    });
    const url = await startProject(folder, all.scripts["start"]!, "BOARD_TOKEN");
    await checkLines(all, folder, url);
    expect((await fetch(`${url}/notes/1`, { method: "DELETE" })).status).toBe(401);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${url}/notes/1`, { method: "DELETE", headers })).status).toBe(404);
    expect([...all.files.keys()]).toEqual(
      expect.arrayContaining(["server.js", "spec/store.spec.js", "spec/http/service.spec.js"]),
    );
    expect(unmetOf(all).map(({ pointer }) => pointer)).toEqual([
      "/phases/first/features/0",
      "/phases/first/features/1",
      "/phases/second/features/0",
      "/phases/second/features/1",
    ]);
  });

  test("a record is on disk as soon as it is answered: another process finds it", async () => {
    const built = await buildDocument(corkboard);
    const folder = await writeOut(built);
    const before = await startProject(folder, built.scripts["start"]!);
    await fetch(`${before}/api/issues`, { method: "POST", body: '{"title": "Kept"}' });
    const after = await startProject(folder, built.scripts["start"]!);
    expect(await (await fetch(`${after}/api/issues`)).json()).toMatchObject({ total: 1 });
  });

  test("a document of several services becomes one program, which says so and answers for all of them", async () => {
    const built = await buildDocument(await readExample("services"));
    const folder = await writeOut(built);
    const url = await startProject(folder, built.scripts["start"]!);
    await checkLines(built, folder, url);
    expect(unmetOf(built).map(({ pointer }) => pointer)).toContain("/services/gateway");
    expect([...built.files.keys()]).toContain("services/all/test/store.test.js");
  });

  test("a program that is broken fails its own tests", async () => {
    const built = await buildDocument(corkboard);
    const folder = await writeOut(built);
    const place = join(folder, "src/validate.js");
    await writeFile(place, (await readFile(place, "utf8")).replace("field.values.includes(value)", "true"));
    expect((await runIn(folder, "node --test test/unit/validate.test.js")).exitCode).not.toBe(0);
  });
});

test.each([corkboard, withoutDataModel, phased])(
  "the same document gives the same bytes, whatever the order of tasks",
  expectSameBytes,
);

test("what cannot be honoured is reported, with its position", async () => {
  const built = await buildDocument(
    apiDocument({
      stack: { language: "typescript", framework: "express", database: "postgres" },
      auth: { scheme: "oauth2" },
      data_model: { place: { path: "/places", fields: { where: { type: "geometry" } } } },
      acceptance: {
        tests: [{ file: "test/*.test.js", framework: "jest" }],
        http_endpoints: [
          { path: "/places", method: "POST", status: 503 },
          { path: "/early", status: 103 },
        ],
        commands: ["make coffee"],
        delight: { level: "high" },
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect(pointers.toSorted()).toEqual(
    [
      "/acceptance/commands/0",
      "/acceptance/delight",
      "/acceptance/http_endpoints/0",
      "/acceptance/http_endpoints/1",
      "/acceptance/tests/0",
      "/auth/scheme",
      "/data_model/place/fields/where",
      "/stack/database",
      "/stack/framework",
      "/stack/language",
    ].toSorted(),
  );
  expect(built.files.get("README.md")!.text).toContain("## Not built");
});

const hostile = fc
  .oneof(
    fc.constantFrom(
      '"',
      "'",
      "`",
      `\${process.exit()}`,
      "</script>",
      "\n",
      "\u2028",
      "../../etc",
      "🦔",
      "toString",
      "*/",
      "{{x}}",
      "a".repeat(500),
    ),
    fc.string(),
  )
  .filter((text) => !["__proto__", "constructor", "prototype"].includes(text));

test("whatever names and texts a document has, its files are whole", async () => {
  await fc.assert(
    fc.asyncProperty(hostile, hostile, hostile, hostile, async (name, field, value, word) => {
      const built = await buildDocument(
        apiDocument({
          name,
          description: value,
          data_model: Object.fromEntries([
            [
              name,
              {
                path: `/things/${encodeURIComponent(word)}`,
                fields: Object.fromEntries([
                  [field, { type: "enum", values: [value, name], label: word, pattern: value }],
                ]),
              },
            ],
          ]),
          acceptance: {
            http_endpoints: [
              { path: `/${encodeURIComponent(word)}`, response_contains: value },
              { path: "/notes", method: "POST", status: 201, body: Object.fromEntries([[field, value]]) },
            ],
            integration_tests: [{ name: value, steps: ["GET /notes → 200"] }],
          },
        }),
      );
      for (const [path, { text }] of built.files) {
        expect(path).toMatch(/^[\w./%-]+$/);
        expect(path.split("/")).not.toContain("..");
        if (path.endsWith(".json")) JSON.parse(text);
        if (path.includes("acceptance-")) checkSyntax(text);
      }
    }),
    { numRuns: 60 },
  );
});

/** Whether it can be parsed: as the body of a function, without its imports. */
function checkSyntax(text: string): void {
  const body = text.replace(/^import .*$/gm, "");
  expect(() => new Function("test", body)).not.toThrow();
}

async function filesAfterFirstTask({ document, tasks }: Built): Promise<Built["files"]> {
  const { files, workspace } = memoryWorkspace(document);
  await findOutcomeType(document.outcome_type)!.build(tasks[0]!, workspace);
  return files;
}
