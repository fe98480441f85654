import { readFileSync } from "node:fs";
import { predict } from "./learning.js";
import { Pipeline } from "./pipeline.js";

/**
 * Runs the step that the arguments name, and answers the exit code: 0 if all is well, 1 if a promised metric was missed,
 * 2 if the arguments or the input are of no use.
 */
export async function runStep([name = "", ...rest], { settings, folder, readInput, print, complain }) {
  if (["help", "--help", "-h"].includes(name)) {
    print(usage(settings));
    return 0;
  }
  const step = Object.hasOwn(settings.steps, name) ? settings.steps[name] : undefined;
  if (step === undefined || rest.length > (step === "predict" ? 1 : 0)) {
    complain(usage(settings));
    return 2;
  }
  const read = async () => (rest.length > 0 ? readFileSync(rest[0], "utf8") : readInput());
  return steps[step].run(new Pipeline(settings, folder), { print, complain, read });
}

const steps = {
  generate: { about: "make the data", run: runGenerate },
  train: { about: "train the model", run: runTrain },
  evaluate: { about: "measure the model on rows it has not seen", run: runEvaluate },
  predict: { about: "predict rows of JSON, from a file or from standard input", run: runPredict },
};

function runGenerate(pipeline, { print }) {
  print(`${pipeline.generate().length} rows written to ${pipeline.settings.outputs.generate}`);
  return 0;
}

function runTrain(pipeline, { print }) {
  print(`${pipeline.train().type} written to ${pipeline.settings.outputs.train}`);
  return 0;
}

function runEvaluate(pipeline, { print, complain }) {
  const { report, missed } = pipeline.evaluate();
  const { evaluate, model_card } = pipeline.settings.outputs;
  for (const [name, value] of Object.entries(report.metrics)) print(`${name.padEnd(10)} ${value.toFixed(4)}`);
  print(`better than the baseline by ${report.beats_baseline_by.toFixed(4)}`);
  print(`written to ${evaluate} and ${model_card}`);
  for (const sentence of missed) complain(`missed: ${sentence}`);
  return missed.length > 0 ? 1 : 0;
}

async function runPredict(pipeline, { print, complain, read }) {
  let answers;
  try {
    const rows = readRows(await read());
    const trained = pipeline.trained();
    answers = rows.map((row) => predict(trained, row));
  } catch (error) {
    complain(`cannot predict: ${error.message}`);
    return 2;
  }
  for (const answer of answers) print(onOneLine(answer));
  return 0;
}

/** One object, a list of objects, or one object a line. */
export function readRows(text) {
  const found = readJson(text) ?? text.split(/\r?\n/).filter((line) => line.trim() !== "").map((line) => JSON.parse(line));
  const rows = Array.isArray(found) ? found : [found];
  const areObjects = rows.every((row) => typeof row === "object" && row !== null && !Array.isArray(row));
  if (rows.length === 0 || !areObjects) throw new Error("a row must be a JSON object");
  return rows;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function onOneLine(answer) {
  const parts = Object.entries(answer).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  return `{${parts.join(", ")}}`;
}

function usage(settings) {
  const lines = Object.entries(settings.steps).map(([name, step]) => `  ${name.padEnd(12)} ${steps[step].about}`);
  return [settings.title, "", "usage: node src/main.js <step>", "", ...lines].join("\n");
}
