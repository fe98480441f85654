import type { TypeKeys } from "@slipway/spec";
import { pointerPart } from "../../kit/pointer.ts";
import type { Unmet } from "../../plugin.ts";
import { tryDataset } from "./load-program.ts";
import type { Source } from "./read-data.ts";
import type { Settings } from "./read-settings.ts";

type Model = TypeKeys<"ml-pipeline">["model"];

/** What is known of the rows beforehand: a row to try, and what of the document they cannot honour. */
export interface Foresight {
  readonly row?: Readonly<Record<string, unknown>>;
  readonly unmet: readonly Unmet[];
}

/** Tries the rows that the document gives, as its program will. Of a file that a person adds nothing is known yet. */
export function foresee(settings: Settings, source: Source, model: Model): Foresight {
  const isLinear = model.type === "linear_regression" || (model.type ?? model.training.method) === "least_squares";
  if (source.content === undefined) return { unmet: isLinear ? unusedByMethod(model.training) : [] };
  const dataset = tryDataset(settings, source.sample ?? source.content);
  if (typeof dataset === "string")
    return { unmet: [{ pointer: "/data/label", reason: `The program will refuse these rows: ${dataset}.` }] };
  const names = new Set(dataset.rows.flatMap((row) => Object.keys(row)));
  const kinds = dataset.isRegression ? "number" : dataset.classes.length === 2 ? "two" : "several";
  const { [settings.label]: _, ...first } = dataset.rows[0]!;
  return {
    row: Object.fromEntries(Object.entries(first).filter(([name]) => !settings.ignore.includes(name))),
    unmet: [
      ...settings.ignore
        .map((name, index) => ({ name, pointer: `/data/ignore/${index}` }))
        .concat(Object.keys(settings.columns).map((name) => ({ name, pointer: `/data/columns/${pointerPart(name)}` })))
        .filter(({ name }) => !names.has(name))
        .map(({ pointer }) => ({ pointer, reason: "The data has no such column." })),
      ...unusedOf(settings, model, kinds),
      ...unusedTraining(model, dataset.modelType),
    ],
  };
}

function unusedOf(settings: Settings, model: Model, kind: "number" | "two" | "several"): readonly Unmet[] {
  const of = { number: "a number", two: "two classes", several: "several classes" }[kind];
  const said: readonly [boolean, string][] = [
    [settings.positive !== null && kind !== "two", "/data/positive"],
    [model.decision_threshold !== undefined && kind !== "two", "/model/decision_threshold"],
    [model.class_weight === "balanced" && kind === "number", "/model/class_weight"],
    [model.baseline === "one_question" && kind === "number", "/model/baseline"],
    [
      model.metric !== undefined && ["r2", "mae", "rmse"].includes(model.metric) !== (kind === "number"),
      "/model/metric",
    ],
  ];
  return said
    .filter(([isUnused]) => isUnused)
    .map(([, pointer]) => ({ pointer, reason: `This says nothing about ${of}, which the label is.` }));
}

const trainedBy: Readonly<Record<string, readonly string[]>> = {
  logistic_regression: ["epochs", "learning_rate", "l2"],
  naive_bayes: [],
  decision_tree: ["max_depth", "min_rows"],
  linear_regression: ["method", "epochs", "learning_rate", "l2"],
};

function unusedTraining({ training }: Model, type: string): readonly Unmet[] {
  return Object.entries(training)
    .filter(([key, value]) => value !== undefined && !trainedBy[type]!.includes(key))
    .map(([key]) => ({ pointer: `/model/training/${key}`, reason: `A ${type} is not trained by this.` }))
    .concat(type === "linear_regression" ? unusedByMethod(training) : []);
}

/** What is solved exactly takes no steps. */
function unusedByMethod({ method = "least_squares", ...training }: Model["training"]): readonly Unmet[] {
  if (method !== "least_squares") return [];
  return (["epochs", "learning_rate"] as const)
    .filter((key) => training[key] !== undefined)
    .map((key) => ({
      pointer: `/model/training/${key}`,
      reason: "Least squares takes no steps: say the method 'gradient_descent', or leave this out.",
    }));
}
