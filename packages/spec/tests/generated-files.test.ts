import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { specJsonSchema } from "../src/index.ts";
import { generatedFiles, repositoryRoot } from "../tools/generated-files.ts";

test.for(Object.entries(generatedFiles()))("%s is what the source makes (npm run generate)", ([path, content]) => {
  expect(readFileSync(new URL(path, repositoryRoot), "utf8")).toBe(content);
});

test("the JSON Schema is valid 2020-12", () => {
  const ajv = new Ajv2020({ strict: false });
  expect(ajv.validateSchema(specJsonSchema())).toBe(true);
  expect(specJsonSchema()).toMatchObject({ $id: "urn:slipway:schema:spec" });
});
