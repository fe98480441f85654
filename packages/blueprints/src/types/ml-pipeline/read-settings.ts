import { acceptanceLines, type CompleteSpec } from "@slipway/spec";
import { unknownKeys } from "../../kit/not-built.ts";
import { type Fields, fieldsOf, listOf, numberOf, textOf, wholeOf } from "../../kit/read-value.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import { type Feature, readFeatures } from "./read-features.ts";
import { type Label, readLabel, readTarget } from "./read-label.ts";

export interface Settings extends Fields {
  readonly features: readonly Feature[];
  readonly label: Label;
  /** The built-in step for each step name of the document. */
  readonly steps: Readonly<Record<string, string>>;
}

/** Reads the settings of the generated program, and lists what of the document they cannot express. */
export function readSettings(document: CompleteSpec): {
  readonly settings: Settings;
  readonly unmet: readonly Unmet[];
} {
  const data = fieldsOf(fieldsOf(document)["data"]);
  const unmet: Unmet[] = [...unknownKeys(data, knownData, "/data", "data")];
  if (data["source"] !== undefined && data["source"] !== "synthetic")
    unmet.push({ pointer: "/data/source", reason: "The data is made by a rule; none is fetched or read." });
  const features = readFeatures(data, readTarget(data).name, unmet);
  const label = readLabel(data, features, unmet);
  const split = fieldsOf(data["split"]);
  const test = numberOf(split["test"], 0.2, { min: 0.01, max: 0.99 });
  const model = fieldsOf(fieldsOf(document)["model"]);
  const card = fieldsOf(model["card"]);
  const settings = {
    title: titleOf(document),
    description: document.description,
    row: textOf(data["row"], "one observation"),
    rows: wholeOf(data["rows"], 1000, { min: 50, max: 100_000 }),
    seed: wholeOf(data["seed"], 1, { min: 0, max: 2 ** 53 - 2 }),
    train_share: numberOf(split["train"], 1 - test, { min: 0.01, max: 0.99 }),
    features,
    label,
    model: modelOf(model, label, unmet),
    promises: promisesOf(document, label, unmet),
    beats_baseline_by: marginOf(document),
    outputs: outputsOf(fieldsOf(fieldsOf(fieldsOf(document)["pipeline"])["outputs"]), unmet),
    steps: stepsOf(document, unmet),
    card: {
      intended_use: textOf(card["intended_use"], "not said."),
      not_for: textOf(card["not_for"], "decisions about people."),
    },
  };
  return { settings, unmet };
}

const knownData = ["source", "rows", "seed", "row", "features", "label", "target", "split"];

function modelOf(model: Fields, { type }: Label, unmet: Unmet[]): Fields {
  const fitting = {
    boolean: ["logistic_regression", "decision_tree", "naive_bayes"],
    category: ["naive_bayes", "decision_tree"],
    number: ["linear_regression"],
  }[type];
  const wanted = textOf(model["type"], fitting[0]!);
  if (!fitting.includes(wanted))
    unmet.push({
      pointer: "/model/type",
      reason: `For such a label there is ${fitting.join(", ")}; it is ${fitting[0]}.`,
    });
  unmet.push(...unknownKeys(model, knownModel, "/model", "a model"));
  if (model["baseline"] !== undefined && model["baseline"] !== (type === "number" ? "mean" : "majority_class"))
    unmet.push({ pointer: "/model/baseline", reason: "The baseline gives the most usual answer to everything." });
  const training = fieldsOf(model["training"]);
  const method = textOf(training["method"], type === "number" ? "least_squares" : "gradient_descent");
  const chosen = fitting.includes(wanted) ? wanted : fitting[0]!;
  const methods = chosen === "linear_regression" ? ["least_squares", "gradient_descent"] : ["gradient_descent"];
  if (!methods.includes(method))
    unmet.push({ pointer: "/model/training/method", reason: `Such a model is trained by ${methods.join(" or ")}.` });
  return {
    type: chosen,
    scaling: model["scaling"] === "none" ? "none" : "standard",
    decision_threshold: numberOf(model["decision_threshold"], 0.5, { min: 0, max: 1 }),
    training: {
      method: methods.includes(method) ? method : methods[0],
      epochs: wholeOf(training["epochs"], 200, { min: 1, max: 5000 }),
      learning_rate: numberOf(training["learning_rate"], 0.3, { min: 1e-9, max: 10 }),
      l2: numberOf(training["l2"], 0.001, { min: 0, max: 100 }),
      max_depth: wholeOf(training["max_depth"], 6, { min: 1, max: 30 }),
      min_rows: wholeOf(training["min_rows"], 5, { min: 1, max: 10_000 }),
    },
  };
}

const knownModel = ["type", "scaling", "training", "decision_threshold", "baseline", "card"];

const metricNames = {
  classification: ["accuracy", "precision", "recall", "f1", "roc_auc", "log_loss"],
  regression: ["r2", "mae", "mse", "rmse"],
};
const smallerIsBetter = ["log_loss", "mae", "mse", "rmse"];

/** The limits in `acceptance.metrics` of the document and its phases: a number, `>= 0.9`, or min and max. */
function promisesOf(document: CompleteSpec, { type }: Label, unmet: Unmet[]): Fields {
  const known = type === "number" ? metricNames.regression : metricNames.classification;
  const promises: Record<string, Fields> = {};
  for (const { check, pointer } of acceptanceLines(document)) {
    if (check.kind !== "named" || check.name !== "metrics") continue;
    for (const [name, value] of Object.entries(fieldsOf(check.value))) {
      const limit = limitOf(name, value);
      if (known.includes(name) && limit !== undefined) promises[name] = { ...promises[name], ...limit };
      else unmet.push({ pointer, reason: `${name} is not measured, or its limit cannot be read.` });
    }
  }
  return promises;
}

function limitOf(name: string, value: unknown): Fields | undefined {
  const defaultSide = smallerIsBetter.includes(name) ? "max" : "min";
  if (typeof value === "number") return { [defaultSide]: value };
  if (typeof value === "string") {
    const match = /^(<=?|>=?|≤|≥)?\s*(-?\d+(?:\.\d+)?)$/.exec(value.trim());
    if (match === null) return undefined;
    const side = match[1] === undefined ? defaultSide : /[>≥]/.test(match[1]) ? "min" : "max";
    return { [side]: Number(match[2]) };
  }
  const { min, max } = fieldsOf(value);
  const limit = { ...(typeof min === "number" && { min }), ...(typeof max === "number" && { max }) };
  return Object.keys(limit).length > 0 ? limit : undefined;
}

function marginOf({ acceptance }: CompleteSpec): number | null {
  const margin = fieldsOf(acceptance)["beats_baseline_by"];
  return typeof margin === "number" ? margin : null;
}

function outputsOf(outputs: Fields, unmet: Unmet[]): Fields {
  const defaults = {
    generate: "data/rows.csv",
    train: "model/model.json",
    evaluate: "reports/metrics.json",
    model_card: "MODEL_CARD.md",
  };
  unmet.push(...unknownKeys(outputs, Object.keys(defaults), "/pipeline/outputs", "what a pipeline writes"));
  return Object.fromEntries(
    Object.entries(defaults).map(([step, fallback]) => {
      const path = outputs[step];
      const isInside = typeof path === "string" && /^[\w][\w./-]*[\w]$/.test(path) && !path.split("/").includes("..");
      if (path !== undefined && !isInside)
        unmet.push({ pointer: `/pipeline/outputs/${step}`, reason: `No file can be called so; it is ${fallback}.` });
      return [step, isInside ? path : fallback];
    }),
  );
}

const stepNames: Readonly<Record<string, RegExp>> = {
  generate: /^(?:generate|data|make[-_]data|prepare|ingest|load)$/,
  train: /^(?:train|fit|training)$/,
  evaluate: /^(?:evaluate|eval|test|score|validate|evaluation)$/,
  predict: /^(?:predict|infer|inference|apply)$/,
};

function stepsOf(document: CompleteSpec, unmet: Unmet[]): Readonly<Record<string, string>> {
  const steps = new Map<string, string>();
  for (const [index, value] of listOf(fieldsOf(fieldsOf(document)["pipeline"])["steps"]).entries()) {
    const name = typeof value === "string" ? value : textOf(fieldsOf(value)["name"], "");
    const step = Object.keys(stepNames).find((one) => stepNames[one]!.test(name) && ![...steps.values()].includes(one));
    if (step === undefined) unmet.push({ pointer: `/pipeline/steps/${index}`, reason: "There is no such step." });
    else steps.set(name, step);
  }
  for (const step of Object.keys(stepNames)) if (![...steps.values()].includes(step)) steps.set(step, step);
  return Object.fromEntries(steps);
}
