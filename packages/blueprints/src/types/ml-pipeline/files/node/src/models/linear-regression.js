import { descend, weightedSum } from "./descent.js";

/** A number, as a weighted sum. */
export function fit(table, targets, rowWeights, _classCount, training) {
  if (training.method === "gradient_descent") return descend(table, targets, rowWeights, (value) => value, training);
  return leastSquares(table, targets, training.l2);
}

export function answer(learnt, numbers) {
  return weightedSum(learnt, numbers);
}

/** The intercept and weights with the least squared error, from the normal equations. */
function leastSquares(table, targets, l2) {
  const rows = table.map((numbers) => [1, ...numbers]);
  const meanOf = (value) => rows.reduce((sum, row, index) => sum + value(row, index), 0) / rows.length;
  const system = rows[0].map((_, first) => [
    ...rows[0].map((_, second) => meanOf((row) => row[first] * row[second])),
    meanOf((row, index) => row[first] * targets[index]),
  ]);
  // Columns that say the same, such as all values of a category, have a solution only with a little of this.
  for (let column = 1; column < system.length; column += 1) system[column][column] += Math.max(l2, 1e-9);
  const [intercept, ...weights] = solve(system);
  return { intercept, weights };
}

/** The solution of linear equations, by elimination; the last column holds the right sides. */
export function solve(system) {
  const rows = system.map((row) => [...row]);
  for (let step = 0; step < rows.length; step += 1) {
    const pivot = rows.reduce((best, row, index) => {
      return index > step && Math.abs(row[step]) > Math.abs(rows[best][step]) ? index : best;
    }, step);
    [rows[step], rows[pivot]] = [rows[pivot], rows[step]];
    for (let index = 0; index < rows.length; index += 1) {
      if (index === step) continue;
      const factor = rows[index][step] / rows[step][step];
      rows[index] = rows[index].map((value, column) => value - factor * rows[step][column]);
    }
  }
  return rows.map((row, index) => row.at(-1) / row[index]);
}
