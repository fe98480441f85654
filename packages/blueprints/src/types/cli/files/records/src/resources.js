import { readFile } from "node:fs/promises";
import { readCsv } from "./csv.js";
import { Failure } from "./errors.js";
import { program } from "./program.js";
import { fields } from "./record.js";
import { openStore } from "./store.js";

/** What a command works with besides its values: where records are, and how results are printed. */
export function resourcesFor({ values, given }, io) {
  const { option, variable, fallback } = program.dataFile;
  const file = (given.has(option) && values[option]) || io.env[variable] || fallback;
  return {
    store: openStore(file),
    /** The records of the data file, or those that `--input` names. */
    async readRecords() {
      if (values.input === undefined) return openStore(file).all();
      return readCsv(await readSource(values.input, io), fields);
    },
    /** Prints data for programs, or a text for people. */
    print(data, text) {
      const shown = values.json === true ? JSON.stringify(data, undefined, 2) : text;
      if (shown !== "") io.write(`${shown}\n`);
    },
  };
}

async function readSource(source, io) {
  if (source === "-") return io.readInput();
  try {
    return await readFile(source, "utf8");
  } catch (cause) {
    throw new Failure(`${source} cannot be read: ${cause.message}`, { cause });
  }
}
