import { findOutcomeType } from "@slipway/blueprints";
import { parseSpec, resolveSpec } from "@slipway/spec";
import { expect, test } from "vitest";
import { OutcomeTypes } from "../../../../src/agents/drivers/blueprint/outcome-types.ts";
import { smallDocument } from "../../../support/test-app.ts";

const document = resolveSpec(parseSpec(Buffer.from(smallDocument())).document!).document;
const type = findOutcomeType(document.outcome_type)!;
const task = { id: "build", title: "Build", phase: "implementation", lines: [] };
const { signal } = new AbortController();

test("a thread plans and builds what the outcome type does", async () => {
  const types = new OutcomeTypes();
  const [plan, files] = await Promise.all([types.plan(document), types.build(document, task, signal)]);
  expect(plan).toEqual(type.plan(document));
  const built: { path: string; content: unknown }[] = [];
  const write = async (path: string, content: unknown) => void built.push({ path, content });
  await type.build(task, { document, read: async () => undefined, write });
  expect(files!.map(({ path, content }) => ({ path, content }))).toEqual(built);
});

test("a type that is not built in is left to plugins", async () => {
  const other = { ...document, outcome_type: "spaceship" };
  expect(await new OutcomeTypes().plan(other)).toBeUndefined();
  expect(await new OutcomeTypes().build(other, task, signal)).toBeUndefined();
});

test.for([
  { bounds: { cpuLimitMs: 1 }, reason: "it takes longer than 0.001 s" },
  { bounds: { heapMb: 4 }, reason: "it needs too much memory" },
])("a document that takes too much is refused because $reason, and the service goes on", async ({ bounds, reason }) => {
  await expect(new OutcomeTypes(bounds).plan(document)).rejects.toThrow(reason);
});

test("what is no longer wanted ends", async () => {
  await expect(new OutcomeTypes().build(document, task, AbortSignal.abort())).rejects.toThrow();
});
