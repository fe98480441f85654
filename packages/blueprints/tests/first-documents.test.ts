import { type BuiltInType, firstDocument, firstLanguages, parseSpec, resolveSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { builtInPlugin } from "../src/index.ts";

const cases = Object.entries(firstLanguages).flatMap(([type, languages]) =>
  languages.map((language) => [type as BuiltInType, language] as const),
);

test.for(cases)("the first document of %s in %s is valid, and all of it is built", ([type, language]) => {
  const { document, diagnostics } = parseSpec(firstDocument({ type, id: "first-try", name: "First try", language }));
  expect(diagnostics).toEqual([]);
  const { languages, plan } = builtInPlugin.outcome_types.find(({ name }) => name === type)!;
  expect(languages).toContain(language);
  expect(plan(resolveSpec(document!).document).unmet).toEqual([]);
});
