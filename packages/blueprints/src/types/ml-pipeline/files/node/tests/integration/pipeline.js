import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { loadModel } from "#src/index.js";
import { Pipeline } from "#src/pipeline.js";
import { runStep } from "#src/run-step.js";
import { loadSettings } from "#src/settings.js";
import { writeCsv } from "#src/table.js";
import { goodRow, smallRows, smallSettings } from "#testing/small-data.js";

const settings = loadSettings();
const root = fileURLToPath(new URL("../", import.meta.resolve("#src/main.js")));
const folders = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), "pipeline-"));
  folders.push(folder);
  return folder;
}

function smallFolder(rows = smallRows()) {
  const folder = newFolder();
  writeFileSync(join(folder, "rows.csv"), writeCsv(rows));
  return folder;
}

/** The exit code and what was printed. */
async function run(folder, words, { using = smallSettings(), input = "" } = {}) {
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

/** The pipeline as it ships, on the project's own data. */
const folder = newFolder();
if (settings.data !== null && existsSync(join(root, settings.data)))
  cpSync(join(root, settings.data), join(folder, settings.data), { recursive: true });
const evaluated = await run(folder, [settings.steps.evaluate], { using: settings });

test("the model beats the baseline on rows it has not seen", () => {
  assert.deepEqual([evaluated.code, evaluated.err], [0, ""]);
  const report = JSON.parse(readFileSync(join(folder, settings.outputs.metrics), "utf8"));
  assert.ok(report.beats_baseline_by > 0);
  assert.deepEqual(report.missed, []);
  for (const name of Object.keys(report.metrics)) assert.ok(evaluated.out.includes(name), name);
  for (const output of Object.values(settings.outputs)) assert.ok(existsSync(join(folder, output)), output);
});

test("every row of the data can be predicted", async () => {
  const { rows, classes } = new Pipeline(settings, folder).prepare();
  const unlabelled = rows.map(({ [settings.label]: _, ...row }) => row);
  const { code, out, err } = await run(folder, [settings.steps.predict], { using: settings, input: JSON.stringify(unlabelled) });
  assert.deepEqual([code, err], [0, ""]);
  const answers = out.split("\n").map((line) => JSON.parse(line)[settings.label]);
  assert.equal(answers.length, rows.length);
  if (classes.length > 0) assert.ok(answers.every((answer) => classes.includes(answer)));
  assert.equal(loadModel(folder).predict(unlabelled[0])[settings.label], answers[0]);
});

test("preparing says what is in the data", async () => {
  const { code, out } = await run(folder, [settings.steps.prepare], { using: settings });
  assert.equal(code, 0);
  assert.ok(out.includes(`${settings.label}: to be predicted`));
});

test("the same seed gives the same model to the byte", () => {
  const models = [smallFolder(), smallFolder()].map((place) => {
    new Pipeline(smallSettings(), place).train();
    return readFileSync(join(place, "m/model.json"), "utf8");
  });
  assert.equal(models[0], models[1]);
});

test("other data trains the model again", () => {
  const place = smallFolder();
  const pipeline = new Pipeline(smallSettings(), place);
  const before = pipeline.trained().trained_on;
  assert.equal(pipeline.trained().trained_on, before);
  writeFileSync(join(place, "rows.csv"), writeCsv(smallRows(100)));
  assert.notEqual(pipeline.trained().trained_on, before);
});

test("each step says what it did", async () => {
  const place = smallFolder();
  assert.match((await run(place, ["prepare"])).out, /^size: number, 20 missing$/m);
  assert.equal((await run(place, ["train"])).out, "logistic_regression written to m/model.json");
});

test("limits on the command line are kept, or the run fails", async () => {
  const place = smallFolder();
  assert.equal((await run(place, ["evaluate", "--min", "accuracy=0.5", "--max", "log_loss=5"])).code, 0);
  const { code, err } = await run(place, ["evaluate", "--min", "accuracy=1.1"]);
  assert.equal(code, 1);
  assert.match(err, /missed: accuracy is 0\.\d{4} and must be at least 1\.1/);
  assert.equal((await run(place, ["evaluate", "--min", "beauty=1"])).code, 2);
  assert.equal((await run(place, ["evaluate", "--min", "accuracy"])).code, 2);
});

test("rows are predicted from JSON and CSV, with values missing as in training", async () => {
  const place = smallFolder();
  const input = JSON.stringify({ ...goodRow, colour: null });
  assert.equal(JSON.parse((await run(place, ["predict"], { input })).out).good, true);
  const path = join(place, "new.csv");
  writeFileSync(path, writeCsv([goodRow, goodRow]));
  const { code, out } = await run(place, ["predict", path]);
  assert.deepEqual([code, out.split("\n").length], [0, 2]);
});

test("input of no use is refused with a reason", async () => {
  const place = smallFolder();
  const { code, err } = await run(place, ["predict"], { input: '{"size": 3}' });
  assert.deepEqual([code, err], [2, "cannot predict: 'count' is missing"]);
  const unseen = await run(place, ["predict"], { input: JSON.stringify([goodRow, { ...goodRow, colour: "mauve" }]) });
  const known = "which no row of the data has; it has blue, green, red";
  assert.deepEqual([unseen.code, unseen.out, unseen.err], [2, "", `cannot predict: row 2: 'colour' is 'mauve', ${known}`]);
  for (const input of ["", "[]", "no json", "[1]", "null"])
    assert.equal((await run(place, ["predict"], { input })).code, 2, input);
  assert.equal((await run(place, ["predict", "no-such-file"])).code, 2);
});

test("a step that is not known is refused with those that are", async () => {
  for (const words of [["no-such-step"], [], ["train", "more"], ["predict", "a", "b"]]) {
    const { code, err } = await run(newFolder(), words);
    assert.equal(code, 2);
    assert.match(err, /evaluate/);
  }
  assert.equal((await run(newFolder(), ["--help"])).code, 0);
});

test("data that is missing is asked for", async () => {
  const { code, err } = await run(newFolder(), ["train"]);
  assert.equal(code, 2);
  assert.match(err, /rows\.csv is not there/);
  assert.match((await run(newFolder(), ["train"], { using: smallSettings("good", {}, { data: null }) })).err, /there is no data/);
});

test("synthetic data is called so in the first line", async () => {
  const { out } = await run(smallFolder(), ["evaluate"], { using: smallSettings("good", {}, { data_kind: "synthetic" }) });
  assert.match(out, /^synthetic data/);
});

test("the program itself reads standard input and ends as it should", async () => {
  const { code, stderr } = await new Promise((resolve) => {
    const program = join(root, "src/main.js");
    const child = execFile(process.execPath, [program, settings.steps.predict], { cwd: folder }, (error, _, stderr) => {
      resolve({ code: error?.code ?? 0, stderr });
    });
    child.stdin.end("[]");
  });
  assert.equal(code, 2);
  assert.match(stderr, /there is no row to predict/);
});
