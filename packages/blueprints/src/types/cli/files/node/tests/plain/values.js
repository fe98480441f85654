import assert from "node:assert/strict";
import { test } from "node:test";
import { UsageError } from "#src/errors.js";
import { fill } from "#src/template.js";
import { formatValue, parseValue } from "#src/values.js";

function refused(field, text, what) {
  assert.throws(() => parseValue({ name: "it", ...field }, text), new UsageError(`it ${what}`));
}

test("numbers are read exactly, and refused when they are none", () => {
  assert.equal(parseValue({ type: "integer" }, " 42 "), 42);
  assert.equal(parseValue({ type: "decimal", decimals: 2 }, "12.50"), 12.5);
  assert.equal(parseValue({ type: "number" }, "-.5"), -0.5);
  assert.equal(parseValue({ type: "number" }, "1e3"), 1000);
  assert.equal(parseValue({ type: "decimal", decimals: 1 }, "1.25e1"), 12.5);
  refused({ type: "decimal", decimals: 2 }, "1e-3", "may have 2 decimals, not '1e-3'");
  refused({ type: "number" }, "1e999", "must be a number, not '1e999'");
  refused({ type: "integer" }, "4.2", "must be a whole number, not '4.2'");
  refused({ type: "decimal" }, "twelve", "must be a number, not 'twelve'");
  refused({ type: "decimal", decimals: 2 }, "1.234", "may have 2 decimals, not '1.234'");
  refused({ type: "number", min: 1 }, "0", "must be at least 1");
  refused({ type: "number", max: 1 }, "2", "must be at most 1");
});

test("dates are days that exist", () => {
  assert.equal(parseValue({ type: "date" }, "2028-02-29"), "2028-02-29");
  refused({ type: "date" }, "2030-02-29", "must be a date such as 2030-01-31, not '2030-02-29'");
  refused({ type: "date" }, "soon", "must be a date such as 2030-01-31, not 'soon'");
  assert.equal(parseValue({ type: "datetime" }, "2030-01-31T09:00Z"), "2030-01-31T09:00:00.000Z");
  refused({ type: "datetime" }, "soon", "must be a time such as 2030-01-31T09:00Z, not 'soon'");
});

test("texts keep to their lengths and choices", () => {
  assert.equal(parseValue({ type: "string" }, " as typed "), " as typed ");
  assert.equal(parseValue({ type: "boolean" }, "Yes"), true);
  refused({ type: "boolean" }, "perhaps", "must be true or false, not 'perhaps'");
  refused({ type: "string", required: true }, " ", "must not be empty");
  refused({ type: "string", min_length: 2 }, "a", "must have at least 2 characters");
  refused({ type: "string", max_length: 2 }, "abc", "may have at most 2 characters");
  refused({ type: "enum", values: ["a", "b"] }, "c", "must be one of a, b, not 'c'");
});

test("values are shown as people write them, also inside a text", () => {
  assert.equal(formatValue({ decimals: 2 }, 8), "8.00");
  assert.equal(formatValue({}, undefined), "");
  assert.equal(formatValue({}, ["a", "b"]), "a, b");
  assert.equal(fill("{n} of {what}, {unknown}", { n: 2, what: "it" }, [{ name: "n", decimals: 1 }]), "2.0 of it, {unknown}");
});
