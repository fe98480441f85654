import { readFileSync } from "node:fs";

/** What the pipeline is about, as data: the columns, the rule behind the label, the model and what it must achieve. */
export function loadSettings() {
  return JSON.parse(readFileSync(new URL("./settings.json", import.meta.url), "utf8"));
}

export function isRegression({ label }) {
  return label.type === "number";
}

/** The values that a label can have; the last of two is the one that counts as positive. */
export function classesOf({ label }) {
  return label.type === "boolean" ? [false, true] : label.values;
}
