import { Chance } from "./chance.js";
import { classesOf } from "./settings.js";

/** Rows that a written rule makes. The same settings always make the same rows. */
export function generateRows(settings) {
  const chance = new Chance(settings.seed);
  return Array.from({ length: settings.rows }, () => generateRow(settings, chance));
}

function generateRow(settings, chance) {
  const row = Object.fromEntries(settings.features.map((feature) => [feature.name, draw(feature, chance)]));
  return { ...row, [settings.label.name]: labelOf(settings, row, chance) };
}

function draw(feature, chance) {
  switch (feature.distribution) {
    case "bernoulli":
      return chance.next() < feature.probability;
    case "categorical":
      return chance.pick(feature.values, feature.shares);
    case "uniform":
      return bounded(feature, chance.uniform(feature.min, feature.max));
    case "exponential":
      return bounded(feature, chance.exponential(feature.mean));
    default:
      return bounded(feature, chance.normal(feature.mean, feature.stddev));
  }
}

function bounded({ type, min = -Infinity, max = Infinity }, value) {
  const inside = Math.min(Math.max(value, min), max);
  return type === "integer" ? Math.round(inside) : rounded(inside);
}

/** The truth about a row: a weighted sum with some noise, as a number, a yes or no, or the highest of several. */
export function labelOf(settings, row, chance) {
  const { label } = settings;
  const noise = label.noise > 0 ? chance.normal(0, label.noise) : 0;
  if (label.type === "number") return rounded(weightedSum(label, row) + noise);
  if (label.type === "boolean") return weightedSum(label, row) + noise > 0;
  const scores = label.scales.map((scale, index) => weightedSum(scale, row) + (index === 0 ? noise : 0));
  return classesOf(settings)[scores.indexOf(Math.max(...scores))];
}

function weightedSum({ intercept, weights }, row) {
  return Object.entries(weights).reduce((sum, [name, weight]) => {
    // A weight of a category is a number for each of its values.
    if (typeof weight === "object") return sum + (Object.hasOwn(weight, row[name]) ? weight[row[name]] : 0);
    return sum + weight * Number(row[name]);
  }, intercept);
}

/** The rows to learn from, and those that the model has never seen. */
export function splitRows({ seed, train_share }, rows) {
  const shuffled = new Chance(seed + 1).shuffle(rows);
  const count = Math.min(Math.max(Math.round(rows.length * train_share), 1), rows.length - 1);
  return { training: shuffled.slice(0, count), testing: shuffled.slice(count) };
}

export function rounded(value) {
  return Number(value.toFixed(4));
}
