import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDataset, splitRows } from "./dataset.js";
import { evaluate, missedBy } from "./evaluation.js";
import { train } from "./learning.js";
import { modelCard } from "./model-card.js";
import { BadData, parseTable } from "./table.js";

/** The steps, on the files of one folder. Each first runs those before it whose result is missing or of other data. */
export class Pipeline {
  #folder;

  constructor(settings, folder) {
    this.settings = settings;
    this.#folder = folder;
  }

  prepare() {
    const text = this.#text();
    const kind = this.settings.data.endsWith(".json") ? "json" : "csv";
    return readDataset(this.settings, parseTable(text, this.settings.missing_values, kind));
  }

  train() {
    const dataset = this.prepare();
    const trained = { ...train(dataset, splitRows(dataset).training), trained_on: this.#fingerprint() };
    this.#write("model", `${JSON.stringify(trained, undefined, 2)}\n`);
    return trained;
  }

  /** The model that was trained on the data as it is now. */
  trained() {
    const path = join(this.#folder, this.settings.outputs.model);
    const known = existsSync(path) ? JSON.parse(readFileSync(path, "utf8")) : undefined;
    return known?.trained_on === this.#fingerprint() ? known : this.train();
  }

  /** The report, and what was missed. */
  evaluate(limits = { min: {}, max: {} }) {
    const dataset = this.prepare();
    const report = evaluate(dataset, this.trained(), splitRows(dataset));
    for (const name of [...Object.keys(limits.min), ...Object.keys(limits.max)])
      if (!Object.hasOwn(report.metrics, name))
        throw new BadData(`${name} is not measured; there are ${Object.keys(report.metrics).join(", ")}`);
    const missed = missedBy(this.settings, report, limits);
    this.#write("metrics", `${JSON.stringify({ ...report, missed }, undefined, 2)}\n`);
    this.#write("model_card", modelCard(dataset, report, missed));
    return { report, missed };
  }

  #text() {
    const { data } = this.settings;
    if (data === null)
      throw new BadData("there is no data: name a file in data.file of the document, or write the rows into it");
    const path = join(this.#folder, data);
    if (!existsSync(path)) throw new BadData(`${data} is not there: add it to the source of the project`);
    return readFileSync(path, "utf8");
  }

  #fingerprint() {
    const settings = JSON.stringify({ ...this.settings, title: "", description: "" });
    return createHash("sha256").update(`${settings}\n${this.#text()}`).digest("hex");
  }

  #write(output, text) {
    const path = join(this.#folder, this.settings.outputs[output]);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}
