import { readdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { builtInPlugin } from "../src/index.ts";
import { buildDocument, readExample } from "./support/build-document.ts";

/** Expectations that no result of ours could meet; only where tests lie stays as it was. */
const otherExpectations = {
  http_endpoints: [
    { path: "/planted", method: "GET", status: 418, response_contains: "planted-text" },
    {
      path: "/planted/login",
      method: "POST",
      status: 200,
      body: { email: "planted@example.com", password: "planted" },
    },
  ],
  service_health: [{ endpoint: "/planted-health", expected_status: 203 }],
  integration_tests: [
    { name: "planted", steps: ['POST /planted {"name": "planted-name"} → 201', "GET /planted/{id} → 200"] },
  ],
  commands: [{ command: "planted --now", stdout_contains: "planted-output", exit_code: 7 }],
  performance: { response_time_p95_ms: 7, planted_metric: 7 },
  planted_check: "planted-value",
};

describe("only the document's own keys get into a result", () => {
  test.for(builtInPlugin.outcome_types.map(({ name }) => name))("%s", async (type) => {
    const document = parse(await readExample(type)) as { acceptance: { tests?: unknown } };
    const { tests } = document.acceptance;
    const changed = { ...document, acceptance: { ...(tests !== undefined && { tests }), ...otherExpectations } };
    const before = await buildDocument(JSON.stringify(document));
    const after = await buildDocument(JSON.stringify(changed));
    for (const [path, { text }] of after.files) expect(text, path).not.toContain("planted");
    expect(Object.fromEntries(after.files)).toEqual(Object.fromEntries(before.files));
  });
});

test("every built-in type has an example that is built so", () => {
  const examples = readdirSync(new URL("../../../examples/", import.meta.url));
  for (const { name } of builtInPlugin.outcome_types) expect(examples).toContain(`${name}.yaml`);
});
