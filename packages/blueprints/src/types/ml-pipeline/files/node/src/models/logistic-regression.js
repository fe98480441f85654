import { descend, weightedSum } from "./descent.js";

/** The probability of yes, as a logistic of a weighted sum. */
export function fit(table, targets, rowWeights, _classCount, training) {
  return descend(table, targets, rowWeights, logistic, training);
}

export function answer(learnt, numbers) {
  const positive = logistic(weightedSum(learnt, numbers));
  return [1 - positive, positive];
}

export function logistic(value) {
  return 1 / (1 + Math.exp(-value));
}
