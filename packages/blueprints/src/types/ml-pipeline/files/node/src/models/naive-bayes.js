/** How likely each class is, if every column had a normal distribution of its own in each class. */
export function fit(table, targets, rowWeights, classCount) {
  const weightOf = (isWanted) => rowWeights.reduce((sum, weight, index) => (isWanted(index) ? sum + weight : sum), 0);
  const classes = Array.from({ length: classCount }, (_, number) => {
    const rows = table.filter((_, index) => targets[index] === number);
    const columns = table[0].map((_, column) => (rows.length > 0 ? rows.map((numbers) => numbers[column]) : [0]));
    const means = columns.map(mean);
    return {
      share: (weightOf((index) => targets[index] === number) + 1) / (weightOf(() => true) + classCount),
      means,
      variances: columns.map((column, index) => mean(column.map((value) => (value - means[index]) ** 2)) + 1e-3),
    };
  });
  return { classes };
}

export function answer({ classes }, numbers) {
  const logs = classes.map((known) => logLikelihood(known, numbers));
  const highest = Math.max(...logs);
  const likelihoods = logs.map((log) => Math.exp(log - highest));
  const sum = likelihoods.reduce((total, likelihood) => total + likelihood, 0);
  return likelihoods.map((likelihood) => likelihood / sum);
}

function logLikelihood({ share, means, variances }, numbers) {
  return numbers.reduce((total, value, column) => {
    const variance = variances[column];
    return total - (value - means[column]) ** 2 / (2 * variance) - Math.log(variance) / 2;
  }, Math.log(share));
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
