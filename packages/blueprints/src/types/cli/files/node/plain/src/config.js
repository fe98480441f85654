import { readFile } from "node:fs/promises";
import { Failure } from "./errors.js";
import { globalOptions, program } from "./program.js";
import { parseValue } from "./values.js";

/** Fills in what was not given on the command line from the config file: a JSON object with names of options. */
export async function applyConfig({ values, given }, env) {
  const file = values.config ?? env[program.configVariable];
  if (file === undefined || file === "") return { values, given };
  const config = await readConfig(file);
  const merged = Object.assign(Object.create(null), values);
  const all = new Set(given);
  for (const option of globalOptions) {
    const { name } = option;
    if (given.has(name) || !Object.hasOwn(config, name)) continue;
    merged[name] = valueIn(config[name], option, file);
    all.add(name);
  }
  return { values: merged, given: all };
}

/** What the config file says must keep to the same rules as what is typed. */
function valueIn(value, option, file) {
  const isSwitch = option.type === "boolean";
  if (isSwitch ? typeof value !== "boolean" : !["string", "number"].includes(typeof value))
    throw new Failure(`${option.name} in ${file} must be ${isSwitch ? "true or false" : "a text or a number"}`);
  if (isSwitch) return value;
  try {
    return parseValue(option, String(value));
  } catch (cause) {
    throw new Failure(`${file}: ${cause.message}`, { cause });
  }
}

async function readConfig(file) {
  let config;
  try {
    config = JSON.parse(await readFile(file, "utf8"));
  } catch (cause) {
    throw new Failure(`the config file ${file} cannot be read: ${cause.message}`, { cause });
  }
  if (typeof config !== "object" || config === null) throw new Failure(`the config file ${file} is no JSON object`);
  return config;
}
