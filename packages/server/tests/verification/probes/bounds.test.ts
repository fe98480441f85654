import { expect, test } from "vitest";
import { importsOf } from "../../../src/verification/probes/check-first-load.ts";
import { attribute } from "../../../src/verification/probes/page-tags.ts";

test("a link has its address, however many blanks stand before it", () => {
  expect(attribute(`<a href${" ".repeat(20)}=${" ".repeat(20)}"/broken"`, "href")).toEqual(["/broken"]);
});

test.each([
  ["&#x2F;two&amp;three", "/two&three"],
  ["&#47;two?a=&quot;b&quot;", '/two?a="b"'],
  ["/&#xD800;&#x110000;&#0;&nosuch;", "/\u{FFFD}&#x110000;&#0;&nosuch;"],
])("a link has its address as templates escape it: %s", (written, meant) => {
  expect(attribute(`<a href="${written}"`, "href")).toEqual([meant]);
});

test.each([
  [`import { ${"a, ".repeat(200)} } from "./large.js";`, false],
  [`import "./${"a".repeat(600)}.js";`, false],
  [`import${" ".repeat(20)}"./large.js";`, false],
  [`@import url("./${"a".repeat(600)}.css");`, false],
  ['import { a } from "./small.js";\nexport const b = 1;\n', true],
])("an import that is too long to be read is told, no. %#", (text, isWhole) => {
  expect(importsOf(text).isWhole).toBe(isWhole);
});
