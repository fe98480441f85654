import { readFile } from "node:fs/promises";
import { Failure } from "./errors.js";
import { globalOptions, program } from "./program.js";

/** Fills in what was not given on the command line from the config file: a JSON object with names of options. */
export async function applyConfig({ values, given }, env) {
  const file = values.config ?? env[program.configVariable];
  if (file === undefined || file === "") return { values, given };
  const config = await readConfig(file);
  const merged = Object.assign(Object.create(null), values);
  const all = new Set(given);
  for (const { name, type } of globalOptions) {
    if (given.has(name) || !Object.hasOwn(config, name)) continue;
    const isRight = typeof config[name] === (type === "boolean" ? "boolean" : "string");
    if (!isRight) throw new Failure(`${name} in ${file} must be ${type === "boolean" ? "true or false" : "a text"}`);
    merged[name] = config[name];
    all.add(name);
  }
  return { values: merged, given: all };
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
