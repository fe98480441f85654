import { expect, test } from "vitest";
import { buildDocument, documentOf, unmetOf } from "./support/build-document.ts";

const types = [
  "api",
  "cli",
  "desktop-app",
  "documentation",
  "game",
  "infrastructure",
  "library",
  "ml-pipeline",
  "mobile-app",
  "web-app",
];

test.for(types)("a plan for %s foretells only of its own programs how a command ends", async (type) => {
  const commands = [
    { command: "cat README.md", stdout_contains: "Small" },
    { command: "test -f LICENSE && echo there" },
    { command: "npm run certainly-not" },
    { command: "make all" },
  ];
  const built = await buildDocument(documentOf(type, { acceptance: { commands } }));
  const foretold = unmetOf(built).map(({ pointer }) => pointer);
  expect(foretold.filter((pointer) => pointer.startsWith("/acceptance/commands/"))).toEqual([
    "/acceptance/commands/2",
    "/acceptance/commands/3",
  ]);
});

test("a pipeline has no step that the document does not name", async () => {
  const commands = ["python3 -m small serve", "python3 -m small train", "python3 -c 'print(1)'"];
  const fields = { stack: { language: "python" }, pipeline: { package: "small" }, acceptance: { commands } };
  const unmet = unmetOf(await buildDocument(documentOf("ml-pipeline", fields)));
  const lines = unmet.filter(({ pointer }) => pointer.startsWith("/acceptance"));
  expect(lines).toEqual([{ pointer: "/acceptance/commands/0", reason: "Nothing was built by rule for this command." }]);
});

test("of the limits of a model, only those that its evaluation does not measure are foretold", async () => {
  const acceptance = { performance: { f1: 0.8, carbon_kg: 1, response_time_p95_ms: 5 }, metrics: { recall: 0.5 } };
  const unmet = unmetOf(await buildDocument(documentOf("ml-pipeline", { acceptance })));
  const lines = unmet.map(({ pointer }) => pointer).filter((pointer) => pointer.startsWith("/acceptance"));
  expect(lines.toSorted()).toEqual([
    "/acceptance/performance/carbon_kg",
    "/acceptance/performance/response_time_p95_ms",
  ]);
});
