import { Ajv2020, type Options } from "ajv/dist/2020.js";
import addFormats, { type FormatName } from "ajv-formats";

/** A validator for JSON Schema 2020-12, with these formats; all that are known if none are named. */
export function createAjv(options: Options, formats?: readonly FormatName[]): Ajv2020 {
  const ajv = new Ajv2020(options);
  addFormats.default(ajv, formats && [...formats]);
  return ajv;
}
