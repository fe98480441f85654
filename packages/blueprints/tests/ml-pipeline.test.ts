// @module-tag soak
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parseSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { soakCases } from "../../../tools/soak-runs.ts";
import {
  type Built,
  buildDocument,
  documentOf,
  expectSameBytes,
  readExample,
  unmetOf,
  writeOut,
} from "./support/build-document.ts";
import { checkLines } from "./support/check-lines.ts";
import { churnCsv } from "./support/churn-rows.ts";
import { testWithCoverage } from "./support/coverage.ts";
import { expectWellFormedWith, replaceTexts } from "./support/hostile-texts.ts";
import { expectTestsPass, runIn } from "./support/run-project.ts";

const example = await readExample("ml-pipeline");

const pipelineDocument = (fields: Record<string, unknown>) =>
  documentOf("ml-pipeline", { id: "small-pipeline", name: "Small pipeline", description: "A pipeline.", ...fields });

/** A churn model as a demanding user would ask for it. */
function churnDocument(language: "python" | "javascript"): string {
  const run = language === "python" ? "python3 -m churn" : "node src/main.js";
  return pipelineDocument({
    id: "churn",
    stack: { language },
    data: { label: "churned", positive: "yes", ignore: ["customer"], split: { test: 0.25, seed: 11 }, csv: churnCsv },
    model: { type: "logistic_regression", class_weight: "balanced", decision_threshold: 0.55, beats_baseline_by: 0.1 },
    acceptance: {
      tests: [{ type: "unit" }, { type: "integration" }],
      commands: [
        { command: `${run} prepare`, stdout_contains: ["plan: category", "months: number, 12 missing"] },
        {
          command: `${run} evaluate --min recall=0.7 --min precision=0.5`,
          stdout_contains: ["precision", "always no"],
        },
        { command: `${run} evaluate --min recall=1.1`, exit_code: 1, stderr_contains: "recall is" },
        {
          command: `${run} predict`,
          stdin: '{"plan": "monthly", "months": 2, "calls": 6, "autopay": "no", "region": null}',
          stdout_contains: '"churned": "yes"',
        },
        {
          command: `${run} predict`,
          stdin: "plan,months,calls,autopay,region\nyearly,40,0,yes,north\n",
          stdout_contains: '"churned": "no"',
        },
        { command: `${run} predict`, stdin: '{"months": 2}', exit_code: 2, stderr_contains: "plan" },
      ],
    },
  });
}

async function reportIn(folder: string) {
  return JSON.parse(await readFile(join(folder, "reports/metrics.json"), "utf8"));
}

test("the example trains a model that beats its baseline, and every command ends as written", {
  tags: "long",
}, async () => {
  const built = await buildDocument(example);
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(6);
  expect((await reportIn(folder)).beats_baseline_by).toBeGreaterThanOrEqual(0.05);
  expect(await readFile(join(folder, "MODEL_CARD.md"), "utf8")).toContain("Planning the staff of a quay");
  // Rows that were invented are called so in the name, the README and the report.
  expect(built.files.get("README.md")!.text.split("\n")[0]).toBe("# Ferrybell \\(synthetic data\\)");
  expect(JSON.parse(built.files.get("ferrybell/settings.json")!.text).title).toBe("Ferrybell (synthetic data)");
  expect(built.files.get("data/crossings.csv")!.text.split("\n")).toHaveLength(1502);
  expect(Object.entries(await reportIn(folder))[0]).toEqual(["data", "synthetic"]);
});

test("a churn model in Python learns from the document's CSV, and reports precision and recall", {
  tags: "long",
}, async () => {
  const built = await buildDocument(churnDocument("python"));
  expect(unmetOf(built)).toEqual([]);
  expect(built.files.get("data/rows.csv")!.text).toBe(churnCsv);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(6);
  const report = await reportIn(folder);
  expect(report.rows).toMatchObject({ given: 160, train: 120, test: 40 });
  expect(report.metrics.recall).toBeGreaterThanOrEqual(0.7);
  expect(report.baseline).toMatchObject({ answer: "always no", recall: 0, accuracy: 0.8 });
  await expectTestsPass(built, folder);
});

test("the same churn model in JavaScript keeps the same promises", { tags: "long" }, async () => {
  const built = await buildDocument(churnDocument("javascript"));
  expect(unmetOf(built)).toEqual([]);
  const folder = await writeOut(built);
  expect(await checkLines(built, folder)).toBe(6);
  const report = await reportIn(folder);
  expect(report.rows.given).toBe(160);
  expect(report.baseline).toMatchObject({ answer: "always no", recall: 0 });
  expect((await testWithCoverage(folder)).coverage).toBeGreaterThanOrEqual(0.85);
});

test("only the expected values of a document may change, and the result stays the same to the byte", async () => {
  for (const language of ["javascript", "python"] as const) {
    const document = JSON.parse(churnDocument(language));
    for (const line of document.acceptance.commands) {
      line.command = line.command.replace(/[\d.]+$/, "0.99");
      line.stdout_contains = "something else";
      line.exit_code = 3;
      line.stdin = '{"plan": "planted"}';
    }
    const acceptance = { ...document.acceptance, metrics: { accuracy: 0.99 }, beats_baseline_by: 0.4 };
    const changed = await buildDocument(JSON.stringify({ ...document, acceptance }));
    expect(changed.files).toEqual((await buildDocument(churnDocument(language))).files);
  }
});

test.for(soakCases(["javascript", "python"]))(
  "rows of the document in %s predict numbers, by names of its author's",
  async (language) => {
    const run = language === "python" ? "python3 -m prices" : "node src/main.js";
    const rows = Array.from({ length: 60 }, (_, number) => ({
      area: number % 7 === 3 ? null : 20 + ((number * 37) % 100),
      town: ["old", "new"][number % 2],
      price: 10 + 2 * (20 + ((number * 37) % 100)) + (number % 2 === 0 ? 30 : 0),
    }));
    const built = await buildDocument(
      pipelineDocument({
        stack: { language },
        pipeline: {
          ...(language === "python" && { package: "prices" }),
          steps: { prepare: "load", train: "fit", evaluate: "score", predict: "infer" },
          outputs: { model: "out/model.json" },
        },
        data: { rows, label: "price", columns: { area: { missing: "drop" } } },
        acceptance: {
          commands: [
            `${run} fit → 0`,
            { command: `${run} score --min r2=0.95 --max mae=8`, stdout_contains: "rmse" },
            { command: `${run} infer`, stdin: '{"area": 100, "town": "old"}', stdout_contains: '{"price": 2' },
          ],
        },
      }),
    );
    expect(unmetOf(built)).toEqual([]);
    const folder = await writeOut(built);
    expect(await checkLines(built, folder)).toBe(3);
    expect((await reportIn(folder)).rows.dropped).toBe(9);
    await expectTestsPass(built, folder);
  },
);

test("a file that the document names is read from the project, and asked for while it is not there", {
  tags: "long",
}, async () => {
  const data = { file: "data/customers.csv", label: "churned" };
  const built = await buildDocument(pipelineDocument({ stack: { language: "javascript" }, data }));
  expect(unmetOf(built)).toEqual([]);
  expect(built.files.get(".gitignore")!.text).not.toContain("data");
  const folder = await writeOut(built);
  const before = await runIn(folder, built.scripts["build"]!);
  expect([before.exitCode, before.stderr]).toEqual([2, expect.stringContaining("data/customers.csv is not there")]);
  await mkdir(join(folder, "data"));
  await writeFile(join(folder, "data/customers.csv"), churnCsv.replaceAll(",", ";"));
  const after = await runIn(folder, built.scripts["build"]!);
  expect(after.exitCode, after.stdout + after.stderr).toBe(0);
  expect((await reportIn(folder)).left_out).toEqual(["customer: no two rows have the same value"]);
  await expectTestsPass(built, folder);
});

test("without data nothing is invented: it is asked for, and the build fails", async () => {
  for (const [fields, pointer] of [
    [{}, "/description"],
    [{ data: { label: "late" } }, "/data/label"],
  ] as const) {
    const built = await buildDocument(pipelineDocument(fields));
    expect(unmetOf(built)).toEqual([{ pointer, reason: expect.stringContaining("Give the rows in 'data.csv'") }]);
    expect([...built.files.keys()].filter((path) => path.startsWith("data/"))).toEqual([]);
    const folder = await writeOut(built);
    const { exitCode, stderr } = await runIn(folder, built.scripts["build"]!);
    expect([exitCode, stderr]).toEqual([2, expect.stringContaining("there is no data")]);
  }
});

test.for(["javascript", "python"])(
  "a model in %s that does not beat the baseline fails the build with the numbers",
  async (language) => {
    // The label has nothing to do with the column.
    const csv = ["n,label", ...Array.from({ length: 120 }, (_, n) => `${n % 2},${n % 3 === 0 ? "a" : "b"}`)].join("\n");
    const built = await buildDocument(pipelineDocument({ stack: { language }, data: { csv, label: "label" } }));
    const folder = await writeOut(built);
    const { exitCode, stderr } = await runIn(folder, built.scripts["build"]!);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(/accuracy is 0\.\d{4}, and 0\.\d{4} for always b/);
  },
);

test("the pipeline's tests notice a broken model, in both languages", { tags: "long" }, async () => {
  const broken: readonly (readonly [Built, string, string, string])[] = [
    [await buildDocument(churnDocument("python")), "churn/models/descent.py", "slope + training", "training"],
    [await buildDocument(churnDocument("javascript")), "src/models/descent.js", "slopes[column] + l2", "l2"],
  ];
  for (const [built, path, text, instead] of broken) {
    const folder = await writeOut(built);
    const source = await readFile(join(folder, path), "utf8");
    expect(source).toContain(text);
    await writeFile(join(folder, path), source.replace(text, instead));
    // One failure is enough, and training in Python takes its time.
    const command = path.endsWith(".py") ? `${built.scripts["test"]} --failfast` : built.scripts["test"]!;
    const { exitCode, stdout, stderr } = await runIn(folder, command);
    expect({ exitCode, said: stdout + stderr }).toEqual({ exitCode: 1, said: expect.stringMatching(/FAIL|not ok|✖/) });
  }
});

test("what of a document is not honoured is reported, in the plan and in the README", async () => {
  const built = await buildDocument(
    pipelineDocument({
      stack: { language: "rust", framework: "pytorch" },
      pipeline: { steps: { train: "go", predict: "go" }, schedule: "daily" },
      data: {
        csv: "a,y\n1,2.5\n2,3.5\n3,4\n4,6\n",
        file: "rows.csv",
        label: "y",
        ignore: ["b"],
        columns: { c: { missing: "drop" } },
        source: "s3://rows",
      },
      model: { decision_threshold: 0.4, metric: "f1", training: { max_depth: 3, epochs: 9 }, layers: 3 },
      acceptance: {
        metrics: { fairness: 0.4 },
        commands: ["make train"],
        http_endpoints: [{ path: "/predict" }],
        fair: true,
      },
    }),
  );
  const pointers = unmetOf(built).map(({ pointer }) => pointer);
  expect([...new Set(pointers)].toSorted()).toEqual([
    "/acceptance/commands/0",
    "/acceptance/fair",
    "/acceptance/http_endpoints/0",
    "/acceptance/metrics",
    "/data/columns/c",
    "/data/file",
    "/data/ignore/0",
    "/data/source",
    "/model/decision_threshold",
    "/model/layers",
    "/model/metric",
    "/model/training/epochs",
    "/model/training/max_depth",
    "/pipeline/schedule",
    "/pipeline/steps/predict",
    "/stack/framework",
    "/stack/language",
  ]);
  const ofKeys = pointers.filter((pointer) => !pointer.startsWith("/acceptance/"));
  for (const pointer of ofKeys) expect(built.files.get("README.md")!.text).toContain(pointer);
});

test("rows that the program would refuse, and rules that lead nowhere, are told beforehand", async () => {
  const reasons = async (data: object, model = {}) =>
    unmetOf(await buildDocument(pipelineDocument({ data, model }))).map(
      ({ pointer, reason }) => `${pointer}: ${reason}`,
    );
  const steps = { epochs: 9, learning_rate: 0.1 };
  const exact = await reasons({ file: "rows.csv", label: "y" }, { training: { method: "least_squares", ...steps } });
  expect(exact.filter((text) => text.includes("takes no steps"))).toHaveLength(2);
  expect(await reasons({ csv: "a,b\n1,2\n", label: "c" })).toEqual([
    expect.stringContaining("no column is called 'c'"),
  ]);
  expect(await reasons({ csv: "a,b\n1\n", label: "b" })).toEqual([expect.stringContaining("row 1 has 1 cells")]);
  expect(await reasons({ csv: "a,b\n1,x\n2,y\n", label: "b" }, { type: "linear_regression" })).toEqual([
    expect.stringContaining("linear_regression cannot predict 2 classes"),
  ]);
  const features = [{ name: "x", mean: 1, probability: 0.2 }, { name: "x" }, { name: "kind", type: "category" }];
  const many = Array.from({ length: 249 }, (_, index) => ({ name: `f${index}`, type: "boolean" }));
  expect(
    await reasons({ label: "y", synthetic: { rows: 10_000, features: many, rule: { weights: { f1: 1 } } } }),
  ).toEqual(["/data/synthetic/rows: With so many columns, 1000 rows are invented at most."]);
  expect(await reasons({ label: "y", synthetic: { features, rule: { weights: { z: 1, x: 1 } } } })).toEqual([
    "/data/synthetic/features/1: There is a column of this name already.",
    "/data/synthetic/features/2: A category needs 'values'; the column is left out.",
    "/data/synthetic/rule/weights: There is no column 'z' that could have a weight.",
    "/data/synthetic/features/0/probability: The builder does not use this.",
  ]);
});

test("the vocabulary knows misspelled words and keys, and values of the wrong kind", () => {
  const text = stringify({
    ...JSON.parse(pipelineDocument({ data: { label: "y", csv: "a,y\n1,2\n", splitt: {}, split: { test: "much" } } })),
    model: { type: "desicion_tree" },
  });
  const { diagnostics } = parseSpec(text);
  expect(diagnostics.map(({ code, suggestion }) => [code, suggestion])).toEqual([
    ["misspelled_key", "Did you mean 'split'?"],
    ["wrong_type", expect.any(String)],
    ["not_allowed", "Did you mean 'decision_tree'?"],
  ]);
});

test("the same document gives the same bytes, in whatever order its tasks are done", async () => {
  const phased = pipelineDocument({ phases: { data: { features: ["Data"] }, model: { depends_on: ["data"] } } });
  for (const text of [example, phased, churnDocument("javascript")]) await expectSameBytes(text);
});

test.for(["javascript", "python"])(
  "whatever texts a document has, its pipeline in %s is well formed",
  async (language) => {
    const { data, model } = parse(example);
    await expectWellFormedWith(
      ([name, description], choose) => {
        const { features, rule } = data.synthetic;
        const renamed = features.map((feature: { name: string }) => ({
          ...feature,
          name: choose(feature.name) || "x",
        }));
        const synthetic = { rows: 60, features: renamed, rule };
        const card = replaceTexts(model.card, choose);
        return pipelineDocument({
          name,
          description,
          stack: { language },
          data: { row: choose(data.row), label: choose(data.label) || "y", synthetic },
          model: { card },
        });
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

test.for(soakCases(["javascript", "python"]))(
  "a pipeline of %s with hostile names still passes its tests",
  { tags: "long" },
  async (language) => {
    const nasty = ["__proto__", '"""', "a\nb,c\"d'", "%s {x}", "\u2028🦆"];
    const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const rows = Array.from({ length: 60 }, (_, number) => {
      const values = nasty.map((_, index) => (number * (index + 3)) % 11);
      return [...values, quoted((number * 3) % 11 > 5 ? nasty[1]! : nasty[2]!)].join(",");
    });
    const csv = [[...nasty, "`$(id)`"].map(quoted).join(","), ...rows].join("\n");
    const text = pipelineDocument({ name: nasty[2], stack: { language }, data: { csv, label: "`$(id)`" } });
    await expectTestsPass(await buildDocument(text));
  },
);
