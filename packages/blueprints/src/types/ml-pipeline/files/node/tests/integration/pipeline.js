import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { generateRows } from "#src/data.js";
import { Pipeline } from "#src/pipeline.js";
import { readRows, runStep } from "#src/run-step.js";
import { loadSettings } from "#src/settings.js";
import { goodRow, numericLabel, smallSettings, withModel } from "#testing/small-settings.js";

const settings = loadSettings();
const nameOf = (step) => Object.keys(settings.steps).find((name) => settings.steps[name] === step);
const folders = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "pipeline-"));
  folders.push(folder);
  return folder;
}

/** The exit code and what was printed. */
async function run(folder, words, { using = settings, input = "" } = {}) {
  const out = [];
  const err = [];
  const code = await runStep(words, {
    settings: using,
    folder,
    readInput: () => input,
    print: (line) => out.push(line),
    complain: (line) => err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

const folder = newFolder();
const evaluated = await run(folder, [nameOf("evaluate")]);

test("evaluating runs what comes before and keeps every promise", () => {
  assert.deepEqual([evaluated.code, evaluated.err], [0, ""]);
  const report = JSON.parse(readFileSync(join(folder, settings.outputs.evaluate), "utf8"));
  assert.deepEqual(report.missed, []);
  for (const name of [...Object.keys(settings.promises), ...Object.keys(report.metrics)])
    assert.ok(evaluated.out.includes(name), name);
  for (const output of Object.values(settings.outputs)) assert.ok(existsSync(join(folder, output)), output);
});

test("rows are predicted one by one or together", async () => {
  const rows = generateRows({ ...settings, rows: 3 });
  const together = await run(folder, [nameOf("predict")], { input: JSON.stringify(rows) });
  assert.equal(together.code, 0);
  const answers = together.out.split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(answers.map((answer) => Object.hasOwn(answer, settings.label.name)), [true, true, true]);
  const path = join(folder, "rows.json");
  writeFileSync(path, JSON.stringify(rows[0]));
  const alone = await run(folder, [nameOf("predict"), path]);
  assert.deepEqual([alone.code, alone.out.split("\n").length], [0, 1]);
});

test("input of no use is refused with a reason", async () => {
  const { code, err } = await run(folder, [nameOf("predict")], { input: "{}" });
  assert.equal(code, 2);
  assert.ok(err.includes(settings.features[0].name));
  for (const input of ["", "[]", "no json", "[1]", "null"])
    assert.equal((await run(folder, [nameOf("predict")], { input })).code, 2, input);
  assert.equal((await run(folder, [nameOf("predict"), "no-such-file"])).code, 2);
});

test("a step that is not known is refused with those that are", async () => {
  for (const words of [["no-such-step"], [], [nameOf("train"), "more"]]) {
    const { code, err } = await run(folder, words);
    assert.equal(code, 2);
    for (const name of Object.keys(settings.steps)) assert.ok(err.includes(name));
  }
  assert.deepEqual((await run(folder, ["--help"])).code, 0);
});

test("objects may stand one a line", () => {
  assert.deepEqual(readRows('{"a": 1}\n\n{"a": 2}\n'), [{ a: 1 }, { a: 2 }]);
});

test("the same seed gives the same model to the byte", () => {
  const models = [newFolder(), newFolder()].map((place) => {
    new Pipeline(smallSettings(), place).train();
    return readFileSync(join(place, "m/model.json"), "utf8");
  });
  assert.equal(models[0], models[1]);
});

test("each step says what it wrote", async () => {
  const place = newFolder();
  const using = smallSettings();
  assert.equal((await run(place, ["generate"], { using })).out, "300 rows written to d/rows.csv");
  assert.equal((await run(place, ["train"], { using })).out, "logistic_regression written to m/model.json");
  assert.match((await run(place, ["evaluate"], { using })).out, /written to r\/metrics\.json and CARD\.md/);
});

test("a missed promise ends with an error", async () => {
  const using = smallSettings({ promises: { accuracy: { min: 1.1 } } });
  const { code, err } = await run(newFolder(), ["evaluate"], { using });
  assert.equal(code, 1);
  assert.match(err, /accuracy/);
});

test("numbers are predicted without a probability", async () => {
  const using = withModel(numericLabel, "linear_regression", { method: "least_squares" });
  const { out } = await run(newFolder(), ["predict"], { using, input: JSON.stringify(goodRow) });
  assert.deepEqual(Object.keys(JSON.parse(out)), ["price"]);
  assert.ok(Math.abs(JSON.parse(out).price - 28) < 1);
});

test("the program itself reads standard input and ends as it should", async () => {
  const program = fileURLToPath(import.meta.resolve("#src/main.js"));
  const { code, stderr } = await new Promise((resolve) => {
    const child = execFile(process.execPath, [program, nameOf("predict")], { cwd: folder }, (error, _, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
    child.stdin.end("{}");
  });
  assert.equal(code, 2);
  assert.ok(stderr.includes("cannot predict"));
});
