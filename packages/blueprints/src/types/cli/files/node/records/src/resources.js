import { readFile } from "node:fs/promises";
import { readCsv } from "./csv.js";
import { Failure, UsageError } from "./errors.js";
import { program } from "./program.js";
import { fields } from "./record.js";
import { openStore } from "./store.js";

/** What a command works with besides its values: where records are. */
export function resourcesFor({ values, given }, io) {
  const { option, variable, fallback } = program.dataFile;
  const file = (given.has(option) && values[option]) || io.env[variable] || fallback;
  /** The records of the data file, or those that `--input` names. */
  const readRecords = async () => {
    if (values.input === undefined) return openStore(file).all();
    return readCsv(await readSource(values.input, io), fields);
  };
  return {
    store: values.input === undefined ? openStore(file) : readOnly,
    readRecords,
    /** The records of a CSV file, or of standard input with `-`. */
    readRecordsFrom: async (source) => readCsv(await readSource(source, io), fields),
    async findRecord(id) {
      const found = (await readRecords()).find((record) => record.id === id);
      if (found === undefined) throw new Failure(`there is nothing with the number ${id}`);
      return found;
    },
  };
}

const readOnly = { add: onlyRead, addAll: onlyRead, change: onlyRead, remove: onlyRead };

async function onlyRead() {
  throw new UsageError("--input is only for commands that read: nothing was changed");
}

async function readSource(source, io) {
  if (source === "-") return io.readInput();
  try {
    return await readFile(source, "utf8");
  } catch (cause) {
    throw new Failure(`${source} cannot be read: ${cause.message}`, { cause });
  }
}
