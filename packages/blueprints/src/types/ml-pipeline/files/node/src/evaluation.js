import { answerOf, predict } from "./learning.js";
import { accuracy, classificationMetrics, mean, regressionMetrics } from "./metrics.js";
import { classesOf, isRegression } from "./settings.js";

/** The model and a baseline, which answers the same to everything, measured on rows that neither has seen. */
export function evaluate(trained, { training, testing }) {
  const { settings } = trained;
  const { name } = settings.label;
  const truths = testing.map((row) => row[name]);
  const known = training.map((row) => row[name]);
  const predictions = testing.map((row) => predict(trained, row)[name]);
  const rows = { train: training.length, test: testing.length };
  if (isRegression(settings)) {
    const usual = mean(known);
    const baseline = regressionMetrics(truths, truths.map(() => usual));
    const metrics = regressionMetrics(truths, predictions);
    return { rows, metrics, baseline: { answer: usual, ...baseline }, beats_baseline_by: metrics.r2 - baseline.r2 };
  }
  const classes = classesOf(settings);
  const usual = mostUsual(classes, known);
  const baseline = { answer: usual, accuracy: accuracy(truths, truths.map(() => usual)) };
  const probabilities = testing.map((row) => answerOf(trained, row));
  const metrics = classificationMetrics(truths, predictions, probabilities, classes);
  return { rows, metrics, baseline, beats_baseline_by: metrics.accuracy - baseline.accuracy };
}

function mostUsual(classes, known) {
  const counts = classes.map((one) => known.filter((value) => value === one).length);
  return classes[counts.indexOf(Math.max(...counts))];
}
