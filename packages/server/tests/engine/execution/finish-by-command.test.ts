// @module-tag long
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { submit, tasksOf, untilEnded } from "../../support/engine/follow.ts";
import { getSource } from "../../support/source-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

const folder = await mkdtemp(join(tmpdir(), "slipway-finisher-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
await writeFile(
  join(folder, "finish.sh"),
  `#!/bin/sh
# Does what the prompt names: nothing else was asked of it.
grep -q 'grep hello greeting.txt' && test -f README.md && echo hello > greeting.txt
exit 0
`,
  { mode: 0o755 },
);

const app = await createTestApp({
  agents: {
    declared: [{ name: "script", kind: "command", command: "./finish.sh", capabilities: ["documentation"] }],
    file: join(folder, "slipway.yaml"),
  },
  engine: {},
});

test("a command fills the gap that the builder leaves, as its own task in the builder's files", async () => {
  const id = await submit(
    app,
    `spec_version: "1.0.0"
id: greeter
name: Greeter
description: Greets.
outcome_type: documentation
stack: {}
scripts: { build: "true", test: "true", deploy: "true" }
acceptance:
  commands: [grep hello greeting.txt]
`,
  );
  const { status, error, agents } = await untilEnded(app, id);
  expect({ status, error }).toEqual({ status: "deployed", error: null });
  const done = (await tasksOf(app, id)).filter(({ role }) => role === "finisher");
  expect(new Set(done.map(({ agent_id }) => agent_id))).toEqual(new Set([agents["finisher"]]));
  expect(agents["finisher"]).not.toBe(agents["implementer"]);
  expect(await getSource(app, id)).toMatchObject({
    "greeting.txt": "hello\n",
    "README.md": expect.stringContaining("# Greeter"),
  });
});
