import { createRequire } from "node:module";
import { whyUnfit } from "../../kit/fits-pattern.ts";
import type { FieldModel } from "./model.ts";

const require = createRequire(import.meta.url);

/** Why the result's own program would refuse a value of a field; undefined if it would not. */
export function misfit({ pattern, ...field }: FieldModel, value: unknown): string | undefined {
  // Loaded with the first document that needs it: whoever starts the service would wait for it otherwise.
  const { validate } = require("./files/node/src/validate.js");
  const problem: string | undefined = validate({ fields: { value: field } }, { value }).problems.value;
  if (problem !== undefined || pattern === undefined || typeof value !== "string") return problem;
  const isLeftOut = value === "" && field.required !== true;
  return isLeftOut ? undefined : whyUnfit(pattern, value);
}
