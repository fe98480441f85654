import assert from "node:assert/strict";
import { test } from "node:test";
import { validate } from "#src/validate.js";

const problemsOf = (field, value) => validate({ fields: { it: field } }, { it: value }).problems.it;

for (const [type, good, bad] of [
  ["string", "a", 1],
  ["text", "a\nb", []],
  ["integer", 3, 3.5],
  ["number", 3.5, "3.5"],
  ["boolean", false, 0],
  ["date", "2030-05-04", "2030-13-40"],
  ["date", "2028-02-29", "2035-02-30"],
  ["datetime", "2030-05-04T10:00:00Z", "2030-05-04"],
  ["datetime", "2030-05-04T10:00:00.5+02:00", "2035-02-30T10:00:00Z"],
  ["datetime", "2030-05-04T10:00", "2030-05-04T24:00:00Z"],
  ["time", "09:30", "9:61"],
  ["reference", 3, {}],
  ["email", "a@example.org", "a at example"],
  ["url", "https://example.org/", "javascript:alert(1)"],
  ["list", [1, "a"], "a,b"],
  ["object", { a: 1 }, [1]],
])
  test(`${type}: ${JSON.stringify(good)} is taken, ${JSON.stringify(bad)} is refused with a reason`, () => {
    assert.equal(problemsOf({ type }, good), undefined);
    assert.match(problemsOf({ type }, bad), /^must be /);
  });

test("a value outside the limits is refused", () => {
  assert.match(problemsOf({ type: "string", max_length: 2 }, "abc"), /2 characters at most/);
  assert.match(problemsOf({ type: "string", min_length: 2 }, "a"), /2 characters at least/);
  assert.match(problemsOf({ type: "string", pattern: "^a+$" }, "ab"), /must match/);
  assert.match(problemsOf({ type: "integer", min: 1 }, 0), /1 or more/);
  assert.match(problemsOf({ type: "integer", max: 9 }, 10), /9 or less/);
  assert.match(problemsOf({ type: "enum", values: ["a", "b"] }, "c"), /one of a, b/);
  assert.match(problemsOf({ type: "list", max_length: 1 }, [1, 2]), /1 entries at most/);
  assert.match(problemsOf({ type: "list", of: { type: "string" } }, ["a", 2]), /entry 2 must be a text/);
});

test("a character outside the basic plane counts once", () => {
  assert.equal(problemsOf({ type: "string", max_length: 2 }, "🦔🦔"), undefined);
});

test("what is missing gets its default, and is refused where it is required", () => {
  const fields = {
    name: { type: "string", required: true },
    state: { type: "string", default: "new" },
    note: { type: "text" },
  };
  assert.deepEqual(validate({ fields }, { name: "a" }).values, { name: "a", state: "new", note: null });
  assert.deepEqual(validate({ fields }, { name: " " }).problems, { name: "is required" });
  assert.deepEqual(validate({ fields }, {}).problems, { name: "is required" });
});

test("of a partial change only what is there is checked", () => {
  const fields = { name: { type: "string", required: true }, note: { type: "text" } };
  assert.deepEqual(validate({ fields }, { note: "" }, { isPartial: true }), { values: { note: null }, problems: {} });
  assert.deepEqual(validate({ fields }, { name: null }, { isPartial: true }).problems, { name: "is required" });
});

test("a field that is not known is refused, with those that are", () => {
  const fields = { name: { type: "string" }, note: { type: "text" } };
  assert.deepEqual(validate({ fields }, { nmae: "a" }).problems, { nmae: "is not known: there is name, note" });
});

test("a body cannot reach the prototype of anything, nor set what the service sets", () => {
  const body = JSON.parse('{"__proto__": {"isAdmin": true}, "id": 9, "owner": 3, "total": 0.01}');
  const fields = { owner: { type: "reference", is_owner: true }, total: { type: "number", required: true, computed: { sums: {} } } };
  const { values, problems } = validate({ fields }, body);
  assert.deepEqual([values, problems], [{}, {}]);
});

test("days have limits too, and today is one", () => {
  assert.match(problemsOf({ type: "date", min: "today" }, "2000-01-01"), /today or later/);
  assert.match(problemsOf({ type: "datetime", max: "now" }, "2999-01-01T00:00:00Z"), /now or earlier/);
  assert.equal(problemsOf({ type: "date", min: "2030-05-04" }, "2030-05-04"), undefined);
  assert.match(problemsOf({ type: "time", max: "18:00" }, "18:30"), /18:00 or earlier/);
  const [today] = new Date().toISOString().split("T");
  assert.deepEqual(validate({ fields: { it: { type: "date", default: "today" } } }, {}).values, { it: today });
});
