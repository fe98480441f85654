import { type Fields, fieldsOf, listOf, numberOf, textOf, textsOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";

export interface Feature extends Fields {
  readonly name: string;
  readonly type: "number" | "integer" | "boolean" | "category";
}

type Refuse = (pointer: string, reason: string) => void;

/** Reads the columns that the model learns from, each with the distribution of its values. */
export function readFeatures(data: Fields, label: string, unmet: Unmet[]): readonly Feature[] {
  const refuse: Refuse = (pointer, reason) => unmet.push({ pointer: `/data/features/${pointer}`, reason });
  const names = new Set([label]);
  const features = listOf(data["features"]).flatMap((value, index) => {
    const given = typeof value === "string" ? { name: value } : fieldsOf(value);
    const name = textOf(given["name"], `feature_${index + 1}`);
    if (names.has(name)) {
      refuse(String(index), "There is a column of this name already.");
      return [];
    }
    names.add(name);
    return [featureOf(name, given, index, refuse)];
  });
  return features.length > 0 ? features : defaultFeatures;
}

const defaultFeatures: readonly Feature[] = [
  { name: "feature_1", type: "number", distribution: "normal", mean: 0, stddev: 1 },
  { name: "feature_2", type: "number", distribution: "uniform", min: -2, max: 2 },
  { name: "feature_3", type: "boolean", distribution: "bernoulli", probability: 0.4 },
];

function featureOf(name: string, given: Fields, index: number, refuse: Refuse): Feature {
  const values = [...new Set(textsOf(given["values"]))];
  const type = textOf(given["type"], values.length > 0 ? "category" : "number").toLowerCase();
  if (/^(?:bool|boolean)$/.test(type)) {
    const probability = numberOf(given["probability"], 0.5, { min: 0, max: 1 });
    return { name, type: "boolean", distribution: "bernoulli", probability };
  }
  if (/^(?:category|categorical|enum|string|text)$/.test(type)) {
    if (values.length === 0) refuse(String(index), "A category needs its values; it has a and b.");
    const known = values.length > 0 ? values : ["a", "b"];
    const shares = listOf(given["shares"] ?? given["weights"] ?? given["probabilities"]);
    const isWhole = shares.length === known.length && shares.every((share) => typeof share === "number" && share > 0);
    return {
      name,
      type: "category",
      distribution: "categorical",
      values: known,
      shares: isWhole ? shares : known.map(() => 1),
    };
  }
  if (!/^(?:number|float|double|decimal|int|integer)$/.test(type))
    refuse(`${index}/type`, "Columns are numbers, integers, booleans or categories; this one is a number.");
  return { name, type: /^int/.test(type) ? "integer" : "number", ...distributionOf(given, index, refuse) };
}

function distributionOf(given: Fields, index: number, refuse: Refuse): Fields {
  const hasLimits = typeof given["min"] === "number" && typeof given["max"] === "number";
  const named = textOf(given["distribution"], typeof given["mean"] === "number" || !hasLimits ? "normal" : "uniform");
  const distribution = /^(?:gaussian|normal)$/.test(named) ? "normal" : named;
  if (!["normal", "uniform", "exponential"].includes(distribution))
    refuse(`${index}/distribution`, "Numbers are drawn from a normal, uniform or exponential distribution.");
  const low = numberOf(given["min"], 0);
  const limits = {
    ...(typeof given["min"] === "number" && { min: low }),
    ...(typeof given["max"] === "number" && { max: Math.max(low, numberOf(given["max"], 1)) }),
  };
  if (distribution === "uniform") {
    const max = numberOf(given["max"], low + 1);
    return { distribution, min: Math.min(low, max), max: Math.max(low, max) };
  }
  if (distribution === "exponential")
    return { distribution, mean: numberOf(given["mean"], 1, { min: 1e-6 }), ...limits };
  return {
    distribution: "normal",
    mean: numberOf(given["mean"], 0),
    stddev: numberOf(given["stddev"] ?? given["std"], 1, { min: 0 }),
    ...limits,
  };
}

/** An ordinary row: what is in the middle of each column. */
export function ordinaryRow(features: readonly Feature[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(features.map((feature) => [feature.name, ordinaryValue(feature)]));
}

function ordinaryValue(feature: Feature): unknown {
  const { mean } = spreadOf(feature);
  switch (feature.type) {
    case "boolean":
      return mean >= 0.5;
    case "category":
      return textsOf(feature["values"])[0];
    case "integer":
      return Math.round(mean);
    case "number":
      return Number(mean.toPrecision(3));
  }
}

/** The approximate mean and deviation of a column. */
export function spreadOf(feature: Feature): { readonly mean: number; readonly deviation: number } {
  const number = (key: string) => numberOf(feature[key], 0);
  switch (feature["distribution"]) {
    case "bernoulli":
      return { mean: number("probability"), deviation: Math.sqrt(number("probability") * (1 - number("probability"))) };
    case "uniform":
      return { mean: (number("min") + number("max")) / 2, deviation: (number("max") - number("min")) / Math.sqrt(12) };
    case "exponential":
      return { mean: number("mean"), deviation: number("mean") };
    default:
      return { mean: number("mean"), deviation: number("stddev") };
  }
}
