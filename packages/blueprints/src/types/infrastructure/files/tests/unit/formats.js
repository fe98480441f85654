import assert from "node:assert/strict";
import { test } from "node:test";
import { parseHcl, Reference, toHcl } from "#formats/hcl.js";
import { parseYaml, parseYamlStream, toYaml, toYamlStream } from "#formats/yaml.js";

test("whatever is written as YAML is read as the same", () => {
  const value = {
    text: "plain",
    odd: ["yes", "1.5", "", " a ", "a: b", "# no", "- x", "\n", 'quote " and \\', "\u2028", "{}", "null"],
    numbers: [1, -2.5, 0],
    flags: { on: true, off: false, nothing: null },
    empty: { list: [], map: {} },
    nested: [{ name: "a", deep: { list: [{ b: 1 }, { c: [] }] } }, { name: "b" }],
    "key: with colon": "value",
    "8080": "number-like key",
  };
  assert.deepEqual(parseYaml(toYaml(value)), value);
  assert.deepEqual(parseYamlStream(toYamlStream([value, { a: 1 }])), [value, { a: 1 }]);
});

test("comments and empty lines are skipped, and mistakes are told by their line", () => {
  assert.deepEqual(parseYaml("# note\na: 1\n\nb: x\n"), { a: 1, b: "x" });
  assert.throws(() => parseYaml("a: 1\na: 2\n"), /line 2: a is there twice/);
  assert.throws(() => parseYaml("a: 1\njust text\n"), /line 2/);
  assert.throws(() => parseYaml('a: "open\n'), /line 1/);
  assert.throws(() => parseYaml("a: 1\n    b: 2\n"), /line 2: unexpected indentation/);
  assert.throws(() => parseYaml(""), /end of the file/);
});

test("HCL has its blocks, and texts in it are only texts", () => {
  const text = toHcl([
    { type: "variable", labels: ["region"], body: { default: "a" } },
    {
      type: "resource",
      labels: ["aws_vpc", "main"],
      body: { name: "x ${var.no} %{if}", count: 2, region: new Reference("var.region"), tags: { Name: "n" }, list: ["a"] },
      blocks: [{ type: "inner", body: { ok: true } }],
    },
  ]);
  assert.match(text, /name {3}= "x \$\$\{var\.no\} %%\{if\}"/);
  const { blocks, references } = parseHcl(text);
  assert.deepEqual(blocks.map(({ labels }) => labels.join(".")), ["region", "aws_vpc.main"]);
  assert.deepEqual(references, [{ type: "var", name: "region" }]);
  assert.throws(() => parseHcl("a {\n"), /never closed/);
  assert.throws(() => parseHcl("a ]\n"), /closes nothing/);
});
