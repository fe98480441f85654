import { type Fields, fieldsOf, numberOf, textOf, textsOf } from "../../kit/read-value.ts";
import type { Unmet } from "../../plugin.ts";
import { type Feature, spreadOf } from "./read-features.ts";

export interface Label extends Fields {
  readonly name: string;
  readonly type: "boolean" | "number" | "category";
}

/** Reads the name and type of what is predicted. */
export function readTarget(data: Fields): Label & { readonly values?: readonly string[] } {
  const given = fieldsOf(data["label"] ?? data["target"]);
  const written = data["label"] ?? data["target"];
  const name = typeof written === "string" && written.trim() !== "" ? written : textOf(given["name"], "label");
  const values = [...new Set(textsOf(given["values"] ?? given["classes"]))];
  const type = textOf(given["type"], values.length > 1 ? "category" : "boolean").toLowerCase();
  if (/^(?:number|float|double|decimal|int|integer|regression)$/.test(type)) return { name, type: "number" };
  if (values.length > 1 && !/^bool/.test(type)) return { name, type: "category", values };
  return { name, type: "boolean" };
}

/** Reads the rule that the label follows: the document's weights, else weights that give a real signal. */
export function readLabel(data: Fields, features: readonly Feature[], unmet: Unmet[]): Label {
  const target = readTarget(data);
  const given = fieldsOf(data["label"] ?? data["target"]);
  const rule = given["rule"];
  const rules = { boolean: "linear_threshold", number: "linear", category: "linear_scores" };
  if (rule !== undefined && rule !== rules[target.type])
    unmet.push({ pointer: "/data/label/rule", reason: `A label of this kind follows the rule ${rules[target.type]}.` });
  const noise = fieldsOf(given["noise"]);
  const deviation = numberOf(noise["stddev"] ?? given["noise"], 0.3, { min: 0 });
  if (target.type !== "category") {
    const scale = given["weights"] === undefined ? ownScale(features, 0) : givenScale(given, features, unmet);
    return { ...target, ...scale, noise: deviation };
  }
  const scales = target.values!.map((_, index) => ownScale(features, index));
  if (given["weights"] !== undefined)
    unmet.push({ pointer: "/data/label/weights", reason: "The weights of several classes are chosen by the builder." });
  return { ...target, scales, noise: deviation };
}

interface Scale {
  readonly intercept: number;
  readonly weights: Fields;
}

function givenScale(given: Fields, features: readonly Feature[], unmet: Unmet[]): Scale {
  const weights = Object.entries(fieldsOf(given["weights"])).flatMap(([name, weight]): [string, unknown][] => {
    const feature = features.find((one) => one.name === name);
    const values = Object.entries(fieldsOf(weight)).filter(([, value]) => typeof value === "number");
    if (feature !== undefined && feature.type === "category" && values.length > 0)
      return [[name, Object.fromEntries(values)]];
    if (feature !== undefined && feature.type !== "category" && typeof weight === "number") return [[name, weight]];
    unmet.push({ pointer: "/data/label/weights", reason: `The weight of ${name} fits no column.` });
    return [];
  });
  return { intercept: numberOf(given["intercept"], 0), weights: Object.fromEntries(weights) };
}

/** Weights for every column, larger for the first ones, so that about half of the rows are on each side. */
function ownScale(features: readonly Feature[], offset: number): Scale {
  let intercept = 0;
  const weights = features.map((feature, index): [string, unknown] => {
    const sign = (index + offset) % 2 === 0 ? 1 : -1;
    const strength = (sign * 2) / (1 + ((index + offset) % features.length));
    if (feature.type === "category") {
      const values = feature["values"] as readonly string[];
      return [
        feature.name,
        Object.fromEntries(values.map((value, at) => [value, at % 2 === 0 ? strength : -strength])),
      ];
    }
    const { mean, deviation } = spreadOf(feature);
    const weight = Number((strength / (deviation || 1)).toPrecision(4));
    intercept -= weight * mean;
    return [feature.name, weight];
  });
  return { intercept: Number(intercept.toPrecision(6)), weights: Object.fromEntries(weights) };
}
