import { mean } from "./metrics.js";

/** How every column is moved to the mean 0 and the deviation 1, as seen in training; or left as it is. */
export function fitScale(table, isStandard) {
  const columns = table[0].map((_, index) => table.map((numbers) => numbers[index]));
  if (!isStandard) return { means: columns.map(() => 0), deviations: columns.map(() => 1) };
  const means = columns.map(mean);
  const deviations = columns.map((column, index) => {
    const variance = mean(column.map((value) => (value - means[index]) ** 2));
    // A column that never changes says nothing, and must not divide by zero.
    return Math.sqrt(variance) || 1;
  });
  return { means, deviations };
}

export function applyScale({ means, deviations }, numbers) {
  return numbers.map((value, index) => (value - means[index]) / deviations[index]);
}
