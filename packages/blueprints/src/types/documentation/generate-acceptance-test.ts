import type { AcceptanceLine } from "@slipway/spec";
import { literal } from "../../kit/literal.ts";

/** A test of the result that makes the acceptance's requests, without the skipped ones. */
export function acceptanceTest(lines: readonly AcceptanceLine[], skipped: ReadonlySet<string>): string {
  const requests = lines.flatMap(({ pointer, check }) => {
    if (check.kind !== "http_endpoint" || skipped.has(pointer)) return [];
    const { method, path, status, responseContains } = check;
    const wanted = "exactly" in status ? status.exactly : undefined;
    return [{ method, path, status: wanted, ...(responseContains.length > 0 && { contains: responseContains }) }];
  });
  return [
    'import assert from "node:assert/strict";',
    'import { test } from "node:test";',
    'import { buildSite } from "#src/build-site.js";',
    'import { loadSite } from "#src/load-site.js";',
    'import { answerTo } from "#src/server.js";',
    "",
    `const requests = ${literal(requests)};`,
    "",
    'test("what was agreed on is answered", async (t) => {',
    "  const files = buildSite(await loadSite());",
    "  for (const { method, path, status, contains = [] } of requests)",
    "    await t.test([method, path].join(' '), () => {",
    "      const answer = answerTo(files, method, path);",
    "      assert.equal(answer.status, status);",
    "      for (const text of contains) assert.ok(answer.content.includes(text), text);",
    "    });",
    "});",
  ].join("\n");
}
