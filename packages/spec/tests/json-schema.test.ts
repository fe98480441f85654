import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { specJsonSchema } from "../src/index.ts";

const committed = readFileSync(new URL("../spec.schema.json", import.meta.url), "utf8");

test("the committed JSON Schema is the one that the source makes (npm run generate)", () => {
  expect(`${JSON.stringify(specJsonSchema(), null, 2)}\n`).toBe(committed);
});

test("the JSON Schema is valid 2020-12", () => {
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validateSchema(specJsonSchema())).toBe(true);
});
