import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import {
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { pythonCoverage, testWithCoverage } from "./support/coverage.ts";
import { expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn } from "./support/run-project.ts";

const example = await readExample("ml-pipeline");

const pipelineDocument = (fields: Record<string, unknown>) =>
  documentOf("ml-pipeline", { id: "small-pipeline", name: "Small pipeline", description: "A pipeline.", ...fields });

test("the example trains a model that keeps every promise, and its commands end as written", async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(6);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const report = JSON.parse(await readFile(join(folder, "reports/metrics.json"), "utf8"));
  expect(report.metrics.accuracy).toBeGreaterThanOrEqual(0.9);
  expect(report.beats_baseline_by).toBeGreaterThanOrEqual(0.1);
  expect(await readFile(join(folder, "MODEL_CARD.md"), "utf8")).toContain("Planning the staff of a quay");
  expect(await readFile(join(folder, "data/crossings.csv"), "utf8")).toMatch(/^wind_knots,.*,late\n/);
  expect(await pythonCoverage(folder, "ferrybell", ["tests"])).toBeGreaterThanOrEqual(0.85);
});

test("numbers are predicted by a linear regression, and a limit may be a most", async () => {
  const built = await buildDocument(
    pipelineDocument({
      stack: { language: "python" },
      pipeline: { package: "prices", steps: ["prepare", "fit", "score", "infer"] },
      data: {
        rows: 400,
        features: [
          { name: "area", type: "number", min: 20, max: 200 },
          { name: "town", type: "category", values: ["old", "new"], shares: [3, 1] },
        ],
        label: {
          name: "price",
          type: "number",
          intercept: 10,
          weights: { area: 2, town: { old: 30, new: 0 } },
          noise: 4,
        },
      },
      acceptance: {
        tests: [{ file: "checks/unit/test_*.py", type: "unit" }],
        metrics: { r2: ">= 0.95", mae: 8, rmse: { max: 10 } },
        commands: [
          "python3 -m prices fit → 0",
          { command: "python3 -m prices score", stdout_contains: "r2" },
          { command: "python3 -m prices infer", stdin: '{"area": 100, "town": "old"}', stdout_contains: '{"price": 2' },
        ],
      },
    }),
  );
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(3);
  await expectTestsPass(built, folder);
});

test("several classes are told apart, and a document that says nothing gets data of its own", async () => {
  const classes = await buildDocument(
    pipelineDocument({
      data: { rows: 600, features: ["a", "b", "c"], label: { name: "kind", values: ["oak", "ash", "elm"] } },
      model: { type: "decision_tree" },
      acceptance: { metrics: { accuracy: 0.6, f1: 0.5 }, beats_baseline_by: 0.1 },
    }),
  );
  expect(unmetOf(classes)).toEqual([]);
  for (const built of [classes, await buildDocument(pipelineDocument({}))]) {
    const folder = await writeOut(built);
    const made = await runIn(folder, built.scripts["build"]!);
    expect(made.exitCode, made.stdout + made.stderr).toBe(0);
    await expectTestsPass(built, folder);
  }
});

test("a promise that the model cannot keep fails the build, and the tests", async () => {
  const built = await buildDocument(pipelineDocument({ acceptance: { metrics: { accuracy: 0.9999 } } }));
  const folder = await writeOut(built);
  const { exitCode, stderr } = await runIn(folder, built.scripts["build"]!);
  expect(exitCode).toBe(1);
  expect(stderr).toContain("accuracy is 0.");
  expect((await runIn(folder, built.scripts["test"]!)).exitCode).not.toBe(0);
});

test("the pipeline's tests notice a broken model", async () => {
  const built = await buildDocument(example);
  const folder = await writeOut(built);
  const file = join(folder, "ferrybell/models/descent.py");
  await writeFile(file, (await readFile(file, "utf8")).replace("slope + training", "training"));
  expect((await runIn(folder, built.scripts["test"]!)).exitCode).not.toBe(0);
});

test("what is not known of pipelines is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    pipelineDocument({
      stack: { language: "rust", framework: "pytorch" },
      pipeline: { steps: ["train", "deploy"], outputs: { train: "../../model" } },
      data: {
        source: "s3://rows",
        features: [{ name: "x", distribution: "cauchy" }],
        label: { name: "y", rule: "oracle" },
      },
      model: { type: "transformer" },
      acceptance: {
        metrics: { bleu: 0.4 },
        commands: ["make train"],
        http_endpoints: [{ path: "/predict" }],
        explainable: true,
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect([...new Set(pointers)].toSorted()).toEqual([
    "/acceptance/commands/0",
    "/acceptance/explainable",
    "/acceptance/http_endpoints/0",
    "/acceptance/metrics",
    "/data/features/0/distribution",
    "/data/label/rule",
    "/data/source",
    "/model/type",
    "/pipeline/outputs/train",
    "/pipeline/steps/1",
    "/stack/framework",
    "/stack/language",
  ]);
  for (const pointer of pointers) expect(built.files.get("README.md")!.text).toContain(pointer);
});

function nodeExample(): Record<string, unknown> {
  const { data, model, acceptance } = parse(example);
  const inNode = (text: string) => text.replace("python3 -m ferrybell", "node src/main.js");
  return {
    stack: { language: "javascript", runtime: "node" },
    data,
    model,
    acceptance: {
      metrics: acceptance.metrics,
      beats_baseline_by: acceptance.beats_baseline_by,
      same_seed_same_model: true,
      tests: [
        { file: "spec/**/*.spec.js", type: "unit", framework: "node:test" },
        { type: "integration", framework: "node:test" },
      ],
      commands: [
        ...acceptance.commands.map((line: string | { command: string }) =>
          typeof line === "string" ? inNode(line) : { ...line, command: inNode(line.command) },
        ),
        "npm run train → 0",
        "node scripts/evaluate.js → 0",
        "node pipeline.js generate → 0",
      ],
    },
  };
}

test("the same pipeline in JavaScript keeps the same promises, by commands of its author's", async () => {
  const built = await buildDocument(pipelineDocument(nodeExample()));
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(9);
  expect((await runIn(folder, built.scripts["build"]!)).exitCode).toBe(0);
  const report = JSON.parse(await readFile(join(folder, "reports/metrics.json"), "utf8"));
  expect(report.metrics.accuracy).toBeGreaterThanOrEqual(0.9);
  expect(built.files.get(".github/workflows/ci.yml")!.text).toContain("setup-node");
  expect(await readFile(join(folder, "MODEL_CARD.md"), "utf8")).toContain("Planning the staff of a quay");
  await expectTestsPass(built, folder);
});

test("a pipeline in JavaScript is covered by its tests, whatever it predicts, and they notice a broken model", async () => {
  const stack = { runtime: "node" };
  const label = { name: "price", type: "number" };
  const documents = [
    { stack },
    { stack, data: { label } },
    { stack, data: { label: { values: ["oak", "ash", "elm"] } } },
  ];
  for (const document of documents) {
    const folder = await writeOut(await buildDocument(pipelineDocument(document)));
    expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
  }
  const folder = await writeOut(await buildDocument(pipelineDocument({ stack })));
  const file = join(folder, "src/models/descent.js");
  await writeFile(file, (await readFile(file, "utf8")).replace("slopes[column] + l2", "l2"));
  expect((await runIn(folder, "npm test")).exitCode).not.toBe(0);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = pipelineDocument({ phases: { data: { features: ["Data"] }, model: { depends_on: ["data"] } } });
  for (const text of [example, phased, pipelineDocument(nodeExample())]) await expectSameBytes(text);
});

test.for(["python", "javascript"])(
  "whatever texts a document has, its pipeline in %s is well formed",
  async (language) => {
    const { data, model, pipeline } = parse(example);
    await expectWellFormedWith(
      ([name, description], choose) => {
        const changed = replaceTexts({ data, model, pipeline }, choose) as Record<string, unknown>;
        return pipelineDocument({ name, description, stack: { language }, ...changed });
      },
      {
        numRuns: 30,
        check: ({ files }) => {
          for (const path of files.keys()) if (path.endsWith(".py")) expect(path).toMatch(/^[a-z_][\w/]*\.py$/);
        },
      },
    );
  },
);

test.for(["python", "javascript"])("a pipeline of %s with hostile names still passes its tests", async (language) => {
  const nasty = ["__proto__", '"""', "a\nb,c\"d'", "%s {x}", "\u2028🦆"];
  const features = nasty.map((name) => ({ name }));
  const built = await buildDocument(
    pipelineDocument({
      name: nasty[2],
      stack: { language },
      data: { features, label: { name: "`$(id)`", values: [nasty[1], nasty[2]] } },
    }),
  );
  const folder = await writeOut(built);
  await expectTestsPass(built, folder);
});
