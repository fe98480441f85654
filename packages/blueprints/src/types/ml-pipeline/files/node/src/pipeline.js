import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readCsv, writeCsv } from "./csv.js";
import { generateRows, splitRows } from "./data.js";
import { evaluate } from "./evaluation.js";
import { readModel, train, writeModel } from "./learning.js";
import { missedPromises } from "./metrics.js";
import { modelCard } from "./model-card.js";

/** The steps, on the files of one folder. Each first runs those before it whose result is missing. */
export class Pipeline {
  #folder;

  constructor(settings, folder) {
    this.settings = settings;
    this.#folder = folder;
  }

  generate() {
    const rows = generateRows(this.settings);
    this.#write("generate", writeCsv(this.settings, rows));
    return rows;
  }

  train() {
    const trained = train(this.settings, splitRows(this.settings, this.#rows()).training);
    this.#write("train", writeModel(trained));
    return trained;
  }

  /** The report, and which promises were missed. */
  evaluate() {
    const report = evaluate(this.trained(), splitRows(this.settings, this.#rows()));
    const missed = missedPromises(this.settings, report);
    this.#write("evaluate", `${JSON.stringify({ ...report, missed }, undefined, 2)}\n`);
    this.#write("model_card", modelCard(this.settings, report, missed));
    return { report, missed };
  }

  trained() {
    const text = this.#read("train");
    return text === undefined ? this.train() : readModel(this.settings, text);
  }

  #rows() {
    const text = this.#read("generate");
    return text === undefined ? this.generate() : readCsv(this.settings, text);
  }

  #read(output) {
    const path = join(this.#folder, this.settings.outputs[output]);
    return existsSync(path) ? readFileSync(path, "utf8") : undefined;
  }

  #write(output, text) {
    const path = join(this.#folder, this.settings.outputs[output]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
