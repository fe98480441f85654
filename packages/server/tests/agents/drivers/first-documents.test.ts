// @module-tag long
// @module-tag soak
import { type BuiltInType, firstDocument } from "@slipway/spec";
import { expect, test } from "vitest";
import { soakCases } from "../../../../../tools/soak-runs.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp({ engine: {} });

test.for(
  soakCases<[BuiltInType, string]>([
    ["cli", "javascript"],
    ["api", "python"],
    ["documentation", "javascript"],
  ]),
)("the first document of %s in %s is deployed as it is written, with every line true", async ([type, language]) => {
  const id = await submit(app, firstDocument({ type, id: `first-${type}`, name: "First try", language }));
  const { status, error, checks } = await untilEnded(app, id);
  expect({ status, error }).toEqual({ status: "deployed", error: null });
  expect(checks).toMatchObject({ failed: 0, not_checked: 0 });
});
