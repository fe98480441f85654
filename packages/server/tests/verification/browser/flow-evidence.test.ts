import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { SecretFinder } from "../../../src/platform/secrets/index.ts";
import { flowEvidence } from "../../../src/verification/browser/flow-evidence.ts";

test.for([
  { secrets: ["open-sesame-1234"], pageText: undefined, kept: 0 },
  { secrets: ["open-sesame-1234"], pageText: "It is open-sesame-1234", kept: 0 },
  { secrets: ["open-sesame-1234"], pageText: "It is closed", kept: 1 },
  { secrets: [], pageText: undefined, kept: 1 },
])("a picture whose page could not be searched for secrets is kept only if there are none: %j", async (one) => {
  const folder = await mkdtemp(join(tmpdir(), "slipway-evidence-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "flow.png"), "a picture");
  const { signal } = new AbortController();
  const end = { picture: "flow.png", ...(one.pageText !== undefined && { pageText: one.pageText }) };
  const kept = await flowEvidence(end, { folder, name: "flow", signal }, new SecretFinder(one.secrets));
  expect(kept).toHaveLength(one.kept);
});
