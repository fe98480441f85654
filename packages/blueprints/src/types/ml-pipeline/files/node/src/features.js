/** A row lacks a feature, or holds something else under its name. */
export class MissingFeature extends Error {}

/** One row as numbers, a category as one a value. Every feature must be there and of its kind. */
export function numbersOf(features, row) {
  return features.flatMap(({ name, type, values }) => {
    if (!Object.hasOwn(row, name)) throw new MissingFeature(`'${name}' is missing`);
    const value = row[name];
    if (type === "category") {
      if (!values.includes(value)) throw new MissingFeature(`'${name}' must be one of ${values.join(", ")}`);
      return values.map((known) => Number(known === value));
    }
    if (type === "boolean") {
      if (typeof value !== "boolean") throw new MissingFeature(`'${name}' must be true or false`);
      return Number(value);
    }
    if (!Number.isFinite(value)) throw new MissingFeature(`'${name}' must be a number`);
    return value;
  });
}

export function columnNames(features) {
  return features.flatMap(({ name, type, values }) =>
    type === "category" ? values.map((value) => `${name} = ${value}`) : name,
  );
}

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

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
