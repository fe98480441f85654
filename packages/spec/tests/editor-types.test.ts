import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { specJsonSchema } from "../src/index.ts";
import { sampleTypes } from "./support/sample-types.ts";
import { yamlEditor } from "./support/yaml-editor.ts";

const head = (type: string) => `spec_version: "1.0.0"
id: till
name: Till
description: Sells things.
outcome_type: ${type}
acceptance: {}
stack: {}
`;

const ajv = new Ajv2020({ strict: false });
const examples = new URL("../../../examples/", import.meta.url);

describe("the schema of the built-in types", () => {
  const isValid = ajv.compile(specJsonSchema());

  test.for(readdirSync(examples).filter((name) => name.endsWith(".yaml")))("takes examples/%s", (name) => {
    isValid(parse(readFileSync(new URL(name, examples), "utf8")));
    expect(isValid.errors ?? []).toEqual([]);
  });

  test("stays small enough for an editor to load while somebody types", () => {
    expect(JSON.stringify(specJsonSchema()).length).toBeLessThan(400_000);
  });
});

describe("a document is checked by the keys of its type:", () => {
  const schema = specJsonSchema(sampleTypes);
  const isValid = ajv.compile(schema);
  const fields = (type: string) => `data_model: { issue: { fields: { state: { type: ${type} } } } }\n`;

  test.for<[string, string, boolean]>([
    ["as declared", `${head("api")}${fields("enum")}`, true],
    ["a misspelled word", `${head("api")}${fields("enmu")}`, false],
    ["a wrong type", `${head("api")}page_size: many\n`, false],
    ["a wrong type in an environment", `${head("api")}environments: { live: { page_size: many } }\n`, false],
    ["a misspelled word in a service", `${head("api")}services: { desk: { ${fields("enmu").trim()} } }\n`, false],
    ["a resource of a service", `${head("api")}services: { desk: { ${fields("enum").trim()} } }\n`, true],
    ["a key of another type, which is kept", `${head("cli")}page_size: many\n`, true],
    ["a required key that is missing", head("web-app"), false],
    ["one of several shapes", `${head("web-app")}pages: [/about, { path: / }]\n`, true],
    ["a shared part in its second place", `${head("web-app")}pages: [{ path: /, form: { type: 1 } }]\n`, false],
  ])("%s", ([, text, expected]) => {
    expect(isValid(parse(text))).toBe(expected);
  });

  test("what two types share is defined once", () => {
    const text = JSON.stringify(schema);
    expect(text.split("The words of an enum.").length - 1).toBe(1);
    expect(text.split("A kind of record.").length - 1).toBe(1);
  });

  test("an editor offers the keys of the document's type, explains them and underlines what is wrong", async () => {
    const editor = yamlEditor(schema);
    const offered = (await editor.complete(`${head("api")}¦`)).map(({ label }) => label);
    expect(offered).toEqual(expect.arrayContaining(["data_model", "page_size", "guardrails"]));
    expect(offered).not.toContain("pages");
    expect(await editor.hover(`${head("api")}¦page_size: 3\n`)).toContain("How many records a list shows.");
    const problems = await editor.problems(
      `${head("api")}data_model:\n  issue:\n    fields:\n      a: { type: enmu }\n`,
    );
    expect(problems).toContainEqual(expect.objectContaining({ line: 11, message: expect.stringContaining('"enum"') }));
  });
});
