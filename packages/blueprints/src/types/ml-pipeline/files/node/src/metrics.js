/** How good predictions are. All functions take the truth first. */

export const smallerIsBetter = ["log_loss", "mae", "rmse"];

export function accuracy(truths, predictions) {
  return mean(truths.map((truth, index) => Number(truth === predictions[index])));
}

/** For one class; 0 where there is nothing to divide by. */
export function precisionRecallF1(truths, predictions, positive) {
  const actual = truths.filter((truth) => truth === positive).length;
  const predicted = predictions.filter((prediction) => prediction === positive).length;
  const hits = truths.filter((truth, index) => truth === positive && predictions[index] === positive).length;
  const precision = predicted > 0 ? hits / predicted : 0;
  const recall = actual > 0 ? hits / actual : 0;
  const f1 = hits > 0 ? (2 * precision * recall) / (precision + recall) : 0;
  return { precision, recall, f1 };
}

/** How often a positive row has the higher score than a negative one; ties count half. */
export function rocAuc(truths, scores) {
  const positives = truths.filter(Boolean).length;
  const negatives = truths.length - positives;
  if (positives === 0 || negatives === 0) return 0.5;
  const ordered = truths.map((truth, index) => ({ truth, score: scores[index] })).toSorted((a, b) => a.score - b.score);
  let rankSum = 0;
  for (let start = 0; start < ordered.length; ) {
    let end = start;
    while (end < ordered.length && ordered[end].score === ordered[start].score) end += 1;
    rankSum += ((start + 1 + end) / 2) * ordered.slice(start, end).filter(({ truth }) => truth).length;
    start = end;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

export function logLoss(probabilitiesOfTruth) {
  return mean(probabilitiesOfTruth.map((probability) => -Math.log(Math.max(probability, 1e-15))));
}

/** Of two classes, precision, recall and F1 are those of the last; of more, the means over all. */
export function classificationMetrics(truths, predictions, probabilities, classes) {
  const counted = classes.length === 2 ? classes.slice(1) : classes;
  const scores = counted.map((one) => precisionRecallF1(truths, predictions, one));
  const areas = counted.map((one) =>
    rocAuc(
      truths.map((truth) => truth === one),
      probabilities.map((row) => row[classes.indexOf(one)]),
    ),
  );
  const recalls = classes
    .filter((one) => truths.includes(one))
    .map((one) => precisionRecallF1(truths, predictions, one).recall);
  return {
    accuracy: accuracy(truths, predictions),
    balanced_accuracy: mean(recalls),
    precision: mean(scores.map(({ precision }) => precision)),
    recall: mean(scores.map(({ recall }) => recall)),
    f1: mean(scores.map(({ f1 }) => f1)),
    roc_auc: mean(areas),
    log_loss: logLoss(truths.map((truth, index) => probabilities[index][classes.indexOf(truth)])),
  };
}

export function regressionMetrics(truths, predictions) {
  const errors = truths.map((truth, index) => predictions[index] - truth);
  const middle = mean(truths);
  const mse = mean(errors.map((error) => error * error));
  const spread = mean(truths.map((truth) => (truth - middle) ** 2));
  return { r2: spread > 0 ? 1 - mse / spread : 0, mae: mean(errors.map(Math.abs)), rmse: Math.sqrt(mse) };
}

/** Of each class: how many rows it has, how many of them were found, and what they were taken for. */
export function classReport(truths, predictions, classes) {
  return classes.map((one) => {
    const { precision, recall } = precisionRecallF1(truths, predictions, one);
    const taken = predictions.filter((_, index) => truths[index] === one);
    const taken_for = classes.map((other) => ({ class: other, rows: taken.filter((answer) => answer === other).length }));
    return { class: one, rows: taken.length, precision, recall, taken_for };
  });
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
