import { expect, test } from "vitest";
import { whyNotMatching } from "../../../src/platform/json-schema/index.ts";

test("a schema whose comparison answers later is refused, and ends nothing", async () => {
  // Documents that were accepted by an older version may have it.
  const why = await whyNotMatching(
    { schema: { $async: true, required: ["id"] }, value: {} },
    new AbortController().signal,
  );
  expect(why).toContain("$async");
});
