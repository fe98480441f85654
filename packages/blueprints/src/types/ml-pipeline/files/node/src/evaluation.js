import { answerOf, predict, train } from "./learning.js";
import { classificationMetrics, classReport, mean, regressionMetrics, smallerIsBetter } from "./metrics.js";
import { BadData } from "./table.js";

/** The model and a baseline, measured on rows that neither has seen, and by how much the model is better. */
export function evaluate(dataset, trained, { training, testing }) {
  const { settings, classes, counts, leftOut } = dataset;
  const truths = testing.map((row) => row[settings.label]);
  const metrics = measure(dataset, trained, testing, truths);
  const baseline = baselineOf(dataset, { training, testing, truths });
  const metric = settings.model.metric ?? defaultMetric(dataset);
  if (!Object.hasOwn(metrics, metric))
    throw new BadData(`${metric} is not measured of this label; there are ${Object.keys(metrics).join(", ")}`);
  const sign = smallerIsBetter.includes(metric) ? -1 : 1;
  const predictions = testing.map((row) => predict(trained, row)[settings.label]);
  return {
    data: settings.data_kind,
    rows: { ...counts, train: training.length, test: testing.length },
    left_out: leftOut,
    metrics,
    baseline,
    compared_by: metric,
    beats_baseline_by: sign * (metrics[metric] - baseline[metric]),
    ...(classes.length > 0 && { classes: classReport(truths, predictions, classes) }),
  };
}

function measure({ settings, isRegression, classes }, trained, testing, truths) {
  const predictions = testing.map((row) => predict(trained, row)[settings.label]);
  if (isRegression) return regressionMetrics(truths, predictions);
  return classificationMetrics(truths, predictions, testing.map((row) => answerOf(trained, row)), classes);
}

function baselineOf(dataset, { training, testing, truths }) {
  const { settings, classes } = dataset;
  const known = training.map((row) => row[settings.label]);
  if (dataset.isRegression) {
    const usual = mean(known);
    return { answer: `always ${usual.toFixed(4)}`, ...regressionMetrics(truths, truths.map(() => usual)) };
  }
  if (settings.model.baseline === "one_question") {
    const stump = train(dataset, training, { type: "decision_tree", training: { max_depth: 1, min_rows: 1 } });
    return { answer: "one question", ...measure(dataset, stump, testing, truths) };
  }
  const shares = classes.map((one) => mean(known.map((label) => Number(label === one))));
  const usual = classes[shares.indexOf(Math.max(...shares))];
  const constant = (value) => truths.map(() => value);
  return { answer: `always ${usual}`, ...classificationMetrics(truths, constant(usual), constant(shares), classes) };
}

function defaultMetric({ settings, isRegression }) {
  if (isRegression) return "r2";
  return settings.model.class_weight === "balanced" ? "balanced_accuracy" : "accuracy";
}

/** What the model did not reach, each as a sentence with the numbers. */
export function missedBy(settings, report, { min, max }) {
  const { metrics, baseline, compared_by: metric, beats_baseline_by: margin } = report;
  const wanted = settings.model.beats_baseline_by;
  const must = wanted > 0 ? ` and must be better by ${wanted}` : "";
  const numbers = `${metric} is ${metrics[metric].toFixed(4)}, and ${baseline[metric].toFixed(4)} for ${baseline.answer}`;
  const sentence = (name, word, limit) => `${name} is ${metrics[name].toFixed(4)} and must be ${word} ${limit}`;
  const below = Object.entries(min).filter(([name, limit]) => !(metrics[name] >= limit));
  const above = Object.entries(max).filter(([name, limit]) => !(metrics[name] <= limit));
  return [
    ...(margin > 0 && margin >= wanted ? [] : [`the model does not beat the baseline${must}: ${numbers}`]),
    ...below.map(([name, limit]) => sentence(name, "at least", limit)),
    ...above.map(([name, limit]) => sentence(name, "at most", limit)),
  ];
}
