import { createRequire } from "node:module";
import type { Settings } from "./read-settings.ts";

export type Row = Readonly<Record<string, unknown>>;

interface Dataset {
  readonly columns: readonly { readonly name: string }[];
  readonly rows: readonly Row[];
  readonly classes: readonly unknown[];
  readonly isRegression: boolean;
  readonly modelType: string;
}

interface ResultProgram {
  parseTable(text: string, missingValues: readonly string[], kind: string): readonly Row[];
  readDataset(settings: Settings, rows: readonly Row[]): Dataset;
  writeCsv(rows: readonly Row[]): string;
}

const require = createRequire(import.meta.url);

/** What the result's own program makes of the rows that a document gives; a text where it refuses them. */
export function tryDataset(settings: Settings, given: string | readonly Row[]): Dataset | string {
  const { parseTable, readDataset } = loadProgram();
  try {
    const kind = settings.data?.endsWith(".json") === true ? "json" : "csv";
    const rows = typeof given === "string" ? parseTable(given, settings.missing_values, kind) : given;
    return readDataset(settings, rows);
  } catch (error) {
    return (error as Error).message;
  }
}

/** Only documents of this type load it: whoever starts the service would wait for it otherwise. */
export function loadProgram(): ResultProgram {
  const { parseTable, writeCsv } = require("./files/node/src/table.js");
  const { readDataset } = require("./files/node/src/dataset.js");
  return { parseTable, readDataset, writeCsv };
}
