import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { valueOf } from "./columns.js";
import { predictNew } from "./learning.js";
import { Pipeline } from "./pipeline.js";
import { BadData, parseTable } from "./table.js";

/**
 * Runs the step that the arguments name, and answers the exit code: 0 if all is well, 1 if the model is not good enough,
 * 2 if the arguments, the data or the input are of no use.
 */
export async function runStep([name = "", ...rest], { settings, folder, readInput, print, complain }) {
  if (["help", "--help", "-h"].includes(name)) {
    print(usage(settings));
    return 0;
  }
  const step = Object.keys(settings.steps).find((one) => settings.steps[one] === name);
  const words = step === undefined ? undefined : readWords(step, rest);
  if (words === undefined) {
    complain(usage(settings));
    return 2;
  }
  const { file, limits } = words;
  const read = async () => (file === undefined ? readInput() : readFileSync(file, "utf8"));
  const announce = () => {
    if (settings.data_kind === "synthetic") print("synthetic data: the rows were made by a written rule");
  };
  try {
    return await steps[step].run(new Pipeline(settings, folder), { print, complain, read, limits, announce });
  } catch (error) {
    if (!(error instanceof BadData) && error.code === undefined) throw error;
    complain(`cannot ${name}: ${error.message}`);
    return 2;
  }
}

/** The file and the limits on the command line; undefined if they are not for this step. */
function readWords(step, words) {
  const limit = { type: "string", multiple: true, default: [] };
  try {
    const { values, positionals } = parseArgs({
      args: words,
      allowPositionals: step === "predict",
      options: step === "evaluate" ? { min: limit, max: limit } : {},
    });
    if (positionals.length > 1) return undefined;
    return { file: positionals[0], limits: { min: limitsOf(values.min), max: limitsOf(values.max) } };
  } catch {
    return undefined;
  }
}

function limitsOf(words = []) {
  return Object.fromEntries(
    words.map((word) => {
      const [, name, number] = /^(\w+)=(-?\d+(?:\.\d+)?)$/.exec(word) ?? [];
      if (name === undefined) throw new BadData(`'${word}' must be METRIC=NUMBER`);
      return [name, Number(number)];
    }),
  );
}

const steps = {
  prepare: { about: "read the data and say what is in it", run: runPrepare },
  train: { about: "train the model", run: runTrain },
  evaluate: { about: "measure the model and the baseline on rows that neither has seen", run: runEvaluate },
  predict: { about: "predict rows of JSON or CSV, from a file or from standard input", run: runPredict },
};

function runPrepare(pipeline, { print, announce }) {
  const { counts, rows, columns, leftOut, classes } = pipeline.prepare();
  announce();
  print(`${counts.given} rows in ${pipeline.settings.data}, ${rows.length} of them of use`);
  for (const { name, type } of columns) {
    const missing = rows.filter((row) => valueOf(row, name) === null).length;
    print(`${name}: ${type}${missing > 0 ? `, ${missing} missing` : ""}`);
  }
  for (const reason of leftOut) print(`left out: ${reason}`);
  const what = classes.length > 0 ? `classes ${classes.join(", ")}` : "a number";
  print(`${pipeline.settings.label}: to be predicted, ${what}`);
  return 0;
}

function runTrain(pipeline, { print, announce }) {
  const { type } = pipeline.train();
  announce();
  print(`${type} written to ${pipeline.settings.outputs.model}`);
  return 0;
}

function runEvaluate(pipeline, { print, complain, limits, announce }) {
  const { report, missed } = pipeline.evaluate(limits);
  const { metrics, model_card } = pipeline.settings.outputs;
  announce();
  print(`${"metric".padEnd(18)} ${"model".padEnd(8)} ${report.baseline.answer}`);
  for (const [name, value] of Object.entries(report.metrics))
    print(`${name.padEnd(18)} ${value.toFixed(4).padEnd(8)} ${report.baseline[name].toFixed(4)}`);
  print(`better than the baseline by ${report.beats_baseline_by.toFixed(4)} ${report.compared_by}`);
  print(`written to ${metrics} and ${model_card}`);
  for (const sentence of missed) complain(`missed: ${sentence}`);
  return missed.length > 0 ? 1 : 0;
}

async function runPredict(pipeline, { print, read }) {
  const rows = parseTable(await read(), pipeline.settings.missing_values);
  if (rows.length === 0) throw new BadData("there is no row to predict");
  const trained = pipeline.trained();
  const answers = rows.map((row, index) => {
    try {
      return predictNew(trained, row);
    } catch (error) {
      if (!(error instanceof BadData) || rows.length === 1) throw error;
      throw new BadData(`row ${index + 1}: ${error.message}`, { cause: error });
    }
  });
  for (const answer of answers) print(onOneLine(answer));
  return 0;
}

function onOneLine(answer) {
  const parts = Object.entries(answer).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${parts.join(", ")}}`;
}

function usage(settings) {
  const lines = Object.entries(settings.steps).map(([step, name]) => `  ${name.padEnd(12)} ${steps[step].about}`);
  const limits = `${settings.steps.evaluate} takes --min METRIC=NUMBER and --max METRIC=NUMBER.`;
  return [settings.title, "", "usage: node src/main.js <step>", "", ...lines, "", limits].join("\n");
}
