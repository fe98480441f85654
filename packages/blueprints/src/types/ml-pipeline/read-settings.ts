import type { TypeKeys } from "@slipway/spec";
import type { DocumentToBuild } from "../../kit/outcome-type.ts";
import { titleOf } from "../../kit/title.ts";
import type { Unmet } from "../../plugin.ts";
import { readSource, type Source } from "./read-data.ts";

type Keys = TypeKeys<"ml-pipeline">;
type Steps = Keys["pipeline"]["steps"];

/** The settings of the generated program, as they are written into it. */
export interface Settings {
  readonly title: string;
  readonly description: string;
  readonly row: string;
  readonly data: string | null;
  readonly data_kind: Source["kind"];
  readonly label: string;
  readonly positive: string | number | boolean | null;
  readonly ignore: readonly string[];
  readonly columns: Readonly<Record<string, { readonly type?: string; readonly missing: string }>>;
  readonly missing_values: readonly string[];
  readonly split: { readonly test: number; readonly seed: number };
  readonly model: ReturnType<typeof modelOf>;
  readonly outputs: Readonly<Record<"model" | "metrics" | "model_card", string>>;
  readonly steps: Steps;
  readonly card: { readonly intended_use: string; readonly not_for: string };
}

/** Reads the settings of the generated program, and the rows that the document gives. */
export function readSettings(document: DocumentToBuild<"ml-pipeline">): {
  readonly settings: Settings;
  readonly source: Source;
  readonly unmet: readonly Unmet[];
} {
  const { data, model, pipeline } = document;
  const source = readSource(data, pipeline.outputs);
  const { steps, unmet } = stepsOf(pipeline.steps);
  const { model: modelPath, metrics, model_card } = pipeline.outputs;
  const { intended_use = "not said.", not_for = "decisions about people." } = model.card;
  const settings = {
    title: source.kind === "synthetic" ? `${titleOf(document)} (synthetic data)` : titleOf(document),
    description: document.description,
    row: data?.row ?? "One observation",
    data: source.path,
    data_kind: source.kind,
    label: data?.label ?? "label",
    positive: data?.positive ?? null,
    ignore: [...(data?.ignore ?? [])],
    columns: columnsOf(data?.columns ?? {}),
    missing_values: [...(data?.missing_values ?? [])],
    split: { test: data?.split.test ?? 0.2, seed: data?.split.seed ?? 1 },
    model: modelOf(model),
    outputs: { model: modelPath, metrics, model_card },
    steps,
    card: { intended_use, not_for },
  };
  return { settings, source, unmet: [...source.unmet, ...unmet] };
}

function columnsOf(columns: NonNullable<Keys["data"]>["columns"]): Settings["columns"] {
  return Object.fromEntries(
    Object.entries(columns).map(([name, { type, missing }]) => [
      name,
      { ...(type !== undefined && { type }), missing },
    ]),
  );
}

function modelOf(model: Keys["model"]) {
  const { type = null, task = null, class_weight = "none", scaling, decision_threshold = 0.5 } = model;
  const { baseline = "most_usual", metric = null, beats_baseline_by } = model;
  const { method = "least_squares", epochs = 200, learning_rate = 0.3, l2 = 0.001 } = model.training;
  const { max_depth = 6, min_rows = 5 } = model.training;
  return {
    type,
    task,
    class_weight,
    scaling,
    decision_threshold,
    training: { method, epochs, learning_rate, l2, max_depth, min_rows },
    baseline,
    metric,
    beats_baseline_by,
  };
}

/** Two steps cannot have one name: the later one keeps its usual name. */
function stepsOf({ prepare, train, evaluate, predict }: Steps): {
  readonly steps: Steps;
  readonly unmet: readonly Unmet[];
} {
  const wanted = { prepare, train, evaluate, predict };
  const steps = { prepare: "prepare", train: "train", evaluate: "evaluate", predict: "predict" };
  const unmet: Unmet[] = [];
  for (const step of ["prepare", "train", "evaluate", "predict"] as const) {
    const others = Object.entries(steps).filter(([other]) => other !== step);
    if (others.some(([, name]) => name === wanted[step]))
      unmet.push({ pointer: `/pipeline/steps/${step}`, reason: "Another step has this name." });
    else steps[step] = wanted[step];
  }
  return { steps, unmet };
}
