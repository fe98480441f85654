/** Questions of the kind "is this column at most so much?", each chosen to leave the purest two halves. */
export function fit(table, targets, rowWeights, classCount, { max_depth, min_rows }) {
  const rows = table.map((numbers, index) => ({ numbers, target: targets[index], weight: rowWeights[index] }));
  return grow(rows, { classCount, depth: max_depth, minRows: min_rows });
}

export function answer(root, numbers) {
  let node = root;
  while (node.shares === undefined) node = numbers[node.column] <= node.at_most ? node.low : node.high;
  return node.shares;
}

function grow(rows, { classCount, depth, minRows }) {
  const counts = countClasses(rows, classCount);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const leaf = { shares: counts.map((count) => count / total) };
  if (depth === 0 || rows.length < 2 * minRows || Math.max(...counts) === total) return leaf;
  const split = bestSplit(rows, counts, minRows);
  if (split === undefined) return leaf;
  const isLow = ({ numbers }) => numbers[split.column] <= split.at_most;
  const further = { classCount, depth: depth - 1, minRows };
  return {
    ...split,
    low: grow(rows.filter(isLow), further),
    high: grow(
      rows.filter((row) => !isLow(row)),
      further,
    ),
  };
}

/** The question that leaves the least mixture; nothing if none leaves less than there is. */
function bestSplit(rows, counts, minRows) {
  let best;
  let least = mixture(counts) - 1e-12;
  for (const column of rows[0].numbers.keys()) {
    const ordered = rows.toSorted((a, b) => a.numbers[column] - b.numbers[column]);
    const low = counts.map(() => 0);
    const high = [...counts];
    for (let count = 1; count < ordered.length; count += 1) {
      const { numbers, target, weight } = ordered[count - 1];
      low[target] += weight;
      high[target] -= weight;
      const following = ordered[count].numbers[column];
      if (following === numbers[column] || count < minRows || ordered.length - count < minRows) continue;
      const mixed = mixture(low) + mixture(high);
      if (mixed >= least) continue;
      best = { column, at_most: (numbers[column] + following) / 2 };
      least = mixed;
    }
  }
  return best;
}

function countClasses(rows, classCount) {
  const counts = Array(classCount).fill(0);
  for (const { target, weight } of rows) counts[target] += weight;
  return counts;
}

/** The Gini impurity, times the weight of the rows. */
function mixture(counts) {
  const total = counts.reduce((sum, count) => sum + count, 0);
  return total > 0 ? total - counts.reduce((sum, count) => sum + count * count, 0) / total : 0;
}
