import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { SecretFinder } from "../../../src/platform/secrets/index.ts";
import { flowEvidence } from "../../../src/verification/browser/flow-evidence.ts";
import { contentsOf } from "../../../src/verification/browser/trace-secrets.ts";
import { countTurns } from "../../support/count-turns.ts";

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

test("a trace whose files are large when they are unpacked does not hold up others", { tags: "long" }, async () => {
  const packed = deflateRawSync(Buffer.alloc(8 << 20));
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x0201_4b50);
  entry.writeUInt16LE(8, 10);
  entry.writeUInt32LE(packed.length, 20);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x0605_4b50);
  end.writeUInt16LE(3, 10);
  end.writeUInt32LE(30 + packed.length, 16);
  // All three are the same bytes.
  const zip = Buffer.concat([Buffer.alloc(30), packed, entry, entry, entry, end]);
  const turns = countTurns();
  const sizes: number[] = [];
  for await (const content of contentsOf(zip)) sizes.push(content.length);
  expect(turns()).toBeGreaterThanOrEqual(3);
  expect(sizes).toEqual([8 << 20, 8 << 20, 8 << 20]);
});
