import { predictNew } from "./learning.js";
import { Pipeline } from "./pipeline.js";
import { loadSettings } from "./settings.js";

/** The model of the project in a folder, trained first where that has not been done: `loadModel().predict(row)`. */
export function loadModel(folder = process.cwd()) {
  const trained = new Pipeline(loadSettings(), folder).trained();
  return { predict: (row) => predictNew(trained, row) };
}
