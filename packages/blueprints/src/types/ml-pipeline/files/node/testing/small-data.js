import { readDataset, splitRows } from "#src/dataset.js";
import { evaluate } from "#src/evaluation.js";
import { train } from "#src/learning.js";

/** A small data set for tests of the code: it is learnt in milliseconds, and has nothing to do with the project's own. */
const small = {
  title: "Small",
  description: "Small data.",
  row: "One row",
  data: "rows.csv",
  data_kind: "given",
  label: "good",
  positive: null,
  ignore: [],
  columns: {},
  missing_values: ["NA"],
  split: { test: 0.25, seed: 5 },
  model: {
    type: null,
    task: null,
    class_weight: "none",
    scaling: "standard",
    decision_threshold: 0.5,
    training: { method: "least_squares", epochs: 150, learning_rate: 0.5, l2: 0.001, max_depth: 5, min_rows: 3 },
    baseline: "most_usual",
    metric: null,
    beats_baseline_by: 0,
  },
  outputs: { model: "m/model.json", metrics: "r/metrics.json", model_card: "CARD.md" },
  steps: { prepare: "prepare", train: "train", evaluate: "evaluate", predict: "predict" },
  card: { intended_use: "Tests.", not_for: "Anything else." },
};

export const goodRow = { size: 18, count: 2, fresh: true, colour: "red", since: "2026-01-05" };

/** Rows whose labels follow from their values; some values are missing. */
export function smallRows(count = 240) {
  return Array.from({ length: count }, (_, number) => {
    const size = ((number * 37) % 101) / 5;
    const fresh = (number * 7) % 5 < 2;
    const colour = ["red", "blue", "green"][(number * 11) % 3];
    const amount = ((number * 17) % 9) + 1;
    return {
      size: number % 12 === 5 ? null : size,
      count: amount,
      fresh,
      colour: number % 20 === 7 ? null : colour,
      since: `2026-01-${String((number % 28) + 1).padStart(2, "0")}`,
      price: 3 + 2 * size + (fresh ? 5 : 0),
      kind: size > 13 ? "a" : amount > 5 ? "b" : "c",
      good: size + (fresh ? 2 : 0) + (colour === "red" ? 3 : 0) > 12,
    };
  });
}

/** The small settings for one of the three labels, with parts of them and of the model changed. */
export function smallSettings(label = "good", model = {}, changes = {}) {
  const ignore = ["good", "price", "kind"].filter((name) => name !== label);
  return { ...structuredClone(small), label, ignore, ...changes, model: { ...structuredClone(small.model), ...model } };
}

export function learn(settings, rows = smallRows()) {
  const dataset = readDataset(settings, rows);
  const split = splitRows(dataset);
  const trained = train(dataset, split.training);
  return { dataset, trained, report: evaluate(dataset, trained, split) };
}
