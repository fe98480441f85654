// @module-tag soak

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { soakCases } from "../../../tools/soak-runs.ts";
import {
  alternatives,
  follow,
  item,
  leadTo,
  nameOf,
  placesOf,
  type Schema,
  sampleOf,
} from "./support/schema-positions.ts";
import { rendered, yamlEditor } from "./support/yaml-editor.ts";

const schema: Schema = JSON.parse(readFileSync(new URL("../spec.schema.json", import.meta.url), "utf8"));
const places = placesOf(schema);
const editor = yamlEditor(schema);

test("every property of the schema has a description, and is looked at in some place", () => {
  // What says which keys belong to which type describes nothing itself.
  const { allOf: _, ...parts } = schema;
  const properties = propertiesIn(parts);
  expect(properties.filter(([, { description }]) => !description?.trim()).map(([name]) => name)).toEqual([]);

  const lookedAt = new Set(places.keys.flatMap(({ keys }) => Object.values(keys)));
  expect(properties.filter(([, property]) => !lookedAt.has(property)).map(([name]) => name)).toEqual([]);
});

test("every word of a closed list has an explanation", () => {
  const unexplained = places.words.flatMap(({ path, words }) =>
    words.filter(({ explanation }) => explanation === "").map(({ word }) => `${nameOf(path)}: ${word}`),
  );
  expect(unexplained).toEqual([]);
});

test("an editor completes and explains every key on the first line of its map", async () => {
  const missed: string[] = [];
  for (const { before, path, keys } of places.keys) {
    missed.push(...(await keysNotOffered(`${before}${leadTo(path).text}¦`, keys)).map((key) => nameOf([...path, key])));
  }
  expect(missed).toEqual([]);
});

test("an editor completes and explains every key below another one", async () => {
  const missed: string[] = [];
  for (const { before, path, keys } of places.keys) {
    const { text, next } = leadTo(path);
    for (const [first, ...others] of [Object.keys(keys), Object.keys(keys).reverse()]) {
      const above = `${before}${text}${first}: ${samples(keys[first!]!)[0]}\n${next}¦`;
      const wanted = Object.fromEntries(others.map((key) => [key, keys[key]!]));
      missed.push(...(await keysNotOffered(above, wanted)).map((key) => nameOf([...path, key])));
    }
  }
  expect(missed).toEqual([]);
});

test("hovering over a key explains it, whether its value is there yet or not", async () => {
  const missed: string[] = [];
  for (const { before, path, keys } of places.keys) {
    for (const [key, property] of Object.entries(keys)) {
      // Of a value that may be several things, editors explain the one that was written, or all together.
      const schemas = [follow(schema, property), ...alternatives(schema, property)];
      const explanations = schemas.map(explanation).filter((text) => text !== "");
      for (const value of soakCases(["", ...samples(property)])) {
        const shown = await editor.hover(`${before}${leadTo(path).text}¦${key}: ${value}`);
        if (!explanations.some((text) => shown.includes(text))) missed.push(`${nameOf([...path, key])}: ${value}`);
      }
    }
  }
  expect(missed).toEqual([]);
});

test("an editor offers each word of a closed list with its explanation", async () => {
  const missed: string[] = [];
  for (const { before, path, words } of places.words) {
    const last = path.at(-1);
    const cursor = last === item ? `${leadTo(path).text}¦` : `${leadTo(path.slice(0, -1)).text}${last}: ¦`;
    const offered = await editor.complete(before + cursor);
    for (const { word, explanation } of words) {
      // Words that other versions of YAML take for something else are offered in quotes.
      const found = offered.some((one) => parse(one.label) === word && one.explanation === rendered(explanation));
      if (!found) missed.push(`${nameOf(path)}: ${word}`);
    }
  }
  expect(missed).toEqual([]);
});

test("the walk through the schema follows references, maps, lists and alternatives", () => {
  const names = places.keys.flatMap(({ path, keys }) => Object.keys(keys).map((key) => nameOf([...path, key])));
  expect(names).toEqual(
    expect.arrayContaining([
      "spec_version",
      "environments.chosen-name.acceptance.http_endpoints[].method",
      "phases.chosen-name.acceptance.commands[].exit_code",
      "deployment.health_checks.path",
      "deployment.health_checks[].path",
      "metadata.integrations.slack.notifications.errors",
    ]),
  );
});

test("text is compared as an editor shows it: code as it is, HTML tags outside of code not at all", () => {
  expect(rendered("A `<word>`, a \\`<word>\\`, a \\[list\\].")).toBe("A <word>, a ``, a [list].");
});

const examples = new URL("../../../examples/", import.meta.url);

test.for(readdirSync(examples).filter((name) => name.endsWith(".yaml")))(
  "an editor finds no problem in examples/%s",
  async (name) => {
    expect(await editor.problems(readFileSync(new URL(name, examples), "utf8"))).toEqual([]);
  },
);

const valid = `spec_version: "1.0.0"
id: bookmarks
name: Bookmarks
description: Keeps links.
outcome_type: api
acceptance: {}
stack: {}
`;

test("an editor finds no problem in the shortest document", async () => {
  expect(await editor.problems(valid)).toEqual([]);
});

test.for<[string, string, { line: number; message: string }]>([
  ["a missing field", valid.replace("name: Bookmarks\n", ""), { line: 1, message: 'Missing property "name"' }],
  ["a number for a text", valid.replace('"1.0.0"', "1.0"), { line: 1, message: 'Expected "string"' }],
  ["a version of another form", valid.replace("1.0.0", "one"), { line: 1, message: "a version of the form" }],
  ["a list for a map", `${valid}phases: []\n`, { line: 8, message: 'Expected "object"' }],
  ["a word that is not in the list", `${valid}debug:\n  level: loud\n`, { line: 9, message: '"verbose"' }],
  ["a number out of range", `${valid}guardrails:\n  min_test_coverage: 85\n`, { line: 9, message: "maximum of 1" }],
  [
    "a wrong value in a shared part",
    `${valid}environments:\n  live:\n    debug:\n      level: 3\n`,
    { line: 11, message: '"verbose"' },
  ],
  ["a key that stands there twice", `${valid}id: again\n`, { line: 8, message: "unique" }],
  ["text that is not YAML", `${valid}tasks: [\n`, { line: 9, message: "Flow sequence" }],
])("an editor underlines %s", async ([, text, { line, message }]) => {
  const problems = await editor.problems(text);
  expect(problems).toContainEqual(expect.objectContaining({ line, message: expect.stringContaining(message) }));
});

/** The keys that completion at the cursor lacks, or leaves unexplained. */
async function keysNotOffered(text: string, keys: Readonly<Record<string, Schema>>): Promise<string[]> {
  const offered = await editor.complete(text);
  return Object.entries(keys)
    .filter(([key, property]) => {
      const wanted = explanation(follow(schema, property));
      return !offered.some((one) => one.label === key && one.explanation.includes(wanted));
    })
    .map(([key]) => key);
}

function explanation({ description = "" }: Schema): string {
  return rendered(description);
}

/** A value for each thing that may stand behind a key. */
function samples(property: Schema): string[] {
  return alternatives(schema, property).map(sampleOf);
}

/** Every property that stands anywhere in the schema's text, with its path there. */
function propertiesIn(value: unknown, path = ""): [string, Schema][] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([keyword, inner]): [string, Schema][] => {
    if (keyword !== "properties") return propertiesIn(inner, `${path}/${keyword}`);
    return Object.entries(inner as Record<string, Schema>).flatMap(([key, property]): [string, Schema][] => {
      const name = `${path}/properties/${key}`;
      return [[name, property], ...propertiesIn(property, name)];
    });
  });
}
