const small = {
  title: "Small",
  description: "Small data.",
  row: "one row",
  rows: 300,
  seed: 5,
  train_share: 0.8,
  features: [
    { name: "size", type: "number", distribution: "normal", mean: 10, stddev: 3, min: 0 },
    { name: "count", type: "integer", distribution: "uniform", min: 1, max: 9 },
    { name: "wait", type: "number", distribution: "exponential", mean: 2, max: 20 },
    { name: "fresh", type: "boolean", distribution: "bernoulli", probability: 0.5 },
    { name: "colour", type: "category", distribution: "categorical", values: ["red", "blue"], shares: [1, 2] },
  ],
  label: {
    name: "good",
    type: "boolean",
    intercept: -12,
    weights: { size: 1, count: 0.4, fresh: 2, colour: { red: 1, blue: -1 } },
    noise: 0.2,
  },
  model: {
    type: "logistic_regression",
    scaling: "standard",
    decision_threshold: 0.5,
    training: { method: "gradient_descent", epochs: 80, learning_rate: 0.5, l2: 0.001, max_depth: 6, min_rows: 4 },
  },
  promises: { accuracy: { min: 0.8 }, log_loss: { max: 0.6 } },
  beats_baseline_by: 0.1,
  outputs: { generate: "d/rows.csv", train: "m/model.json", evaluate: "r/metrics.json", model_card: "CARD.md" },
  steps: { generate: "generate", train: "train", evaluate: "evaluate", predict: "predict" },
  card: { intended_use: "Tests.", not_for: "Anything else." },
};

/** A small pipeline, some of it changed: it learns in milliseconds. */
export function smallSettings(changes = {}) {
  return { ...structuredClone(small), ...changes };
}

export function withModel(label, type, training = {}) {
  const { model } = small;
  return smallSettings({ label, model: { ...model, type, training: { ...model.training, ...training } } });
}

export const numericLabel = { name: "price", type: "number", intercept: 3, weights: { size: 2, fresh: 5 }, noise: 0.1 };

export const threeClasses = {
  name: "kind",
  type: "category",
  values: ["a", "b", "c"],
  scales: [
    { intercept: 0, weights: { size: 1 } },
    { intercept: 6, weights: { count: 0.8 } },
    { intercept: 8, weights: { fresh: 3 } },
  ],
  noise: 0.1,
};

export const goodRow = { size: 10, count: 2, wait: 1, fresh: true, colour: "red" };
