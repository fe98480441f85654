import type { TypeKeys } from "@slipway/spec";
import type { Unmet } from "../../plugin.ts";

export type Synthetic = NonNullable<NonNullable<TypeKeys<"ml-pipeline">["data"]>["synthetic"]>;
type Feature = Synthetic["features"][number];
type Value = number | boolean | string;
type Row = Readonly<Record<string, Value>>;

/** In all rows together: the service draws them while it plans. */
const maxValues = 250_000;

/** Invents rows by the document's own rule: the same document always gives the same rows. */
export function drawRows(
  { rows, seed, features, rule }: Synthetic,
  label: string,
): { readonly rows: readonly Row[]; readonly unmet: readonly Unmet[] } {
  const unmet: Unmet[] = [];
  const refuse = (pointer: string, reason: string) => unmet.push({ pointer: `/data/synthetic/${pointer}`, reason });
  const chance = chanceOf(seed);
  const names = new Set([label]);
  const columns = features.flatMap((feature, index) => {
    if (names.has(feature.name)) {
      refuse(`features/${index}`, "There is a column of this name already.");
      return [];
    }
    names.add(feature.name);
    const draw = drawOf(feature, chance, (reason) => refuse(`features/${index}`, reason));
    return draw === undefined ? [] : [{ name: feature.name, draw }];
  });
  const known = new Set(columns.map(({ name }) => name));
  const labelOf = labelRule(rule, known, chance, refuse);
  const most = Math.floor(maxValues / (columns.length + 1));
  if (rows > most) refuse("rows", `With so many columns, ${most} rows are invented at most.`);
  const drawn = Array.from({ length: Math.min(rows, most) }, () => {
    const row = Object.fromEntries(columns.map(({ name, draw }) => [name, draw()]));
    // Defined, not set: a column may be called __proto__.
    return Object.defineProperty(row, label, { value: labelOf(row), enumerable: true });
  });
  return { rows: drawn, unmet };
}

/** How a value of the column is drawn. Reads only the keys that count for it, so that others are reported. */
function drawOf(feature: Feature, chance: Chance, refuse: (reason: string) => void): (() => Value) | undefined {
  const { type } = feature;
  if (type === "boolean") {
    const { probability = 0.5 } = feature;
    return () => chance.next() < probability;
  }
  if (type === "category") {
    const values = [...(feature.values ?? [])];
    if (values.length === 0) {
      refuse("A category needs 'values'; the column is left out.");
      return undefined;
    }
    const shares = [...(feature.shares ?? values.map(() => 1))];
    if (shares.length !== values.length) refuse("There must be as many 'shares' as 'values'.");
    return () =>
      chance.pick(
        values,
        values.map((_, index) => shares[index] ?? 1),
      );
  }
  const { distribution = "normal", min = -Infinity, max = Infinity } = feature;
  const draw = numberOf(feature, distribution, chance);
  return () => {
    const inside = Math.min(Math.max(draw(), min), Math.max(min, max));
    return type === "integer" ? Math.round(inside) : rounded(inside);
  };
}

function numberOf(feature: Feature, distribution: "normal" | "uniform" | "exponential", chance: Chance): () => number {
  switch (distribution) {
    case "normal": {
      const { mean = 0, stddev = 1 } = feature;
      return () => chance.normal(mean, stddev);
    }
    case "uniform": {
      const { min = 0, max = min + 1 } = feature;
      return () => min + (max - min) * chance.next();
    }
    case "exponential": {
      const { mean = 1 } = feature;
      return () => -mean * Math.log(1 - chance.next());
    }
  }
}

type Refuse = (pointer: string, reason: string) => void;
type Sum = (row: Row) => number;

function labelRule(rule: Synthetic["rule"], known: ReadonlySet<string>, chance: Chance, refuse: Refuse) {
  const { noise, classes } = rule;
  const withNoise = (sum: number) => (noise > 0 ? sum + chance.normal(0, noise) : sum);
  if (classes !== undefined) {
    const sums = Object.entries(classes).map(([name, scale]): [string, Sum] => [
      name,
      weightedSum(scale, known, (reason) => refuse("rule/classes", reason)),
    ]);
    return (row: Row): Value => {
      const scores = sums.map(([, sum]) => withNoise(sum(row)));
      return sums[scores.indexOf(Math.max(...scores))]?.[0] ?? "";
    };
  }
  const { gives = "boolean" } = rule;
  const sum = weightedSum(rule, known, (reason) => refuse("rule/weights", reason));
  return (row: Row): Value => {
    const value = withNoise(sum(row));
    return gives === "number" ? rounded(value) : value > 0;
  };
}

type Scale = Pick<Synthetic["rule"], "intercept" | "weights">;

function weightedSum(
  { intercept = 0, weights = {} }: Scale,
  known: ReadonlySet<string>,
  refuse: (r: string) => void,
): Sum {
  const terms = Object.entries(weights).flatMap(([name, weight]): Sum[] => {
    if (!known.has(name)) {
      refuse(`There is no column '${name}' that could have a weight.`);
      return [];
    }
    if (typeof weight === "number") return [(row) => weight * Number(row[name])];
    const byValue = new Map(Object.entries(weight));
    return [(row) => byValue.get(String(row[name])) ?? 0];
  });
  return (row) => {
    const sum = terms.reduce((total, term) => total + term(row), intercept);
    return Number.isFinite(sum) ? sum : 0;
  };
}

interface Chance {
  /** From 0 up to, but without, 1. */
  next(): number;
  normal(mean: number, deviation: number): number;
  pick(values: readonly string[], shares: readonly number[]): string;
}

function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    // By the method of Box and Muller; the logarithm of 0 must not be asked for.
    normal: (mean, deviation) =>
      mean + deviation * Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    pick: (values, shares) => {
      let left = next() * shares.reduce((sum, share) => sum + share, 0);
      const index = shares.findIndex((share) => {
        left -= share;
        return left < 0;
      });
      return values.at(index)!;
    },
  };
}

function rounded(value: number): number {
  return Number(value.toFixed(4));
}
