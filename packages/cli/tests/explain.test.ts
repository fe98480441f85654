import { expect, test } from "vitest";
import { slipway } from "./run-slipway.ts";

test("explain prints what the reference says of a key", async () => {
  const { code, out } = await slipway(["explain", "acceptance.http_endpoints.method"]);
  expect(code).toBe(0);
  expect(out).toContain("acceptance.http_endpoints[].method  (every document)\n  HTTP method of the request.\n");
  expect(out).toContain('default   "GET"');
  expect(out).toMatch(/DELETE +Removes\./);
});

test("explain shows an example as somebody would write it, and the keys below", async () => {
  const { out } = await slipway(["explain", "environments"]);
  expect(out).toContain("example\n    environments:\n      staging:\n        auto_deploy: true\n");
  expect(out).toMatch(/requires_approval +A person must approve/);
});

test("explain --json prints it for programs", async () => {
  const { out } = await slipway(["explain", "acceptance.tests.type", "--json"]);
  expect(JSON.parse(out)).toMatchObject([
    {
      path: "acceptance.tests[].type",
      outcome_types: [],
      is_required: false,
      default: "unit",
      words: [{ word: "unit" }, {}, {}],
    },
  ]);
});

test("an unknown key ends with suggestions and its own exit code", async () => {
  const { code, err } = await slipway(["explain", "acceptance.http_endpoint"]);
  expect(code).toBe(4);
  expect(err).toContain(
    "no key is named 'acceptance.http_endpoint'. Did you mean\n  slipway explain 'acceptance.http_endpoints'",
  );
  expect((await slipway(["explain", "zebra\u001b[2J"])).err).not.toContain("\u001b");
});

test("a key that stands in many places is shown a few times, the other places are named", async () => {
  const { out } = await slipway(["explain", "description"]);
  expect(out).toContain("description  (every document)");
  expect((await slipway(["explain", "timeout_seconds"])).out).toContain("It also stands in\n");
});
