/**
 * The intercept and the weights after so many epochs over all rows, each of which counts by its weight. `activate` turns
 * a weighted sum into an estimate; the gradient is the same for a logistic and for a plain sum.
 */
export function descend(table, targets, rowWeights, activate, { epochs, learning_rate, l2 }) {
  const total = rowWeights.reduce((sum, weight) => sum + weight, 0);
  const share = (values) => values.reduce((sum, value) => sum + value, 0) / total;
  let learnt = { intercept: 0, weights: table[0].map(() => 0) };
  for (let epoch = 0; epoch < epochs; epoch += 1) {
    const errors = table.map(
      (numbers, index) => rowWeights[index] * (activate(weightedSum(learnt, numbers)) - targets[index]),
    );
    const slopes = learnt.weights.map((_, column) => share(errors.map((error, row) => error * table[row][column])));
    learnt = {
      intercept: learnt.intercept - learning_rate * share(errors),
      weights: learnt.weights.map((weight, column) => weight - learning_rate * (slopes[column] + l2 * weight)),
    };
  }
  return learnt;
}

export function weightedSum({ intercept, weights }, numbers) {
  return weights.reduce((sum, weight, column) => sum + weight * numbers[column], intercept);
}
