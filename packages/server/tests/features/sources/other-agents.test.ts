import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInAgent } from "../../../src/app/built-in-agent.ts";
import { finishingAgent } from "../../support/engine/finishing-agent.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { getSource, putSource } from "../../support/source-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

/** What another agent writes, by the document's id, before the builder has its turn. */
const written = new Map<string, Readonly<Record<string, string>>>();
const writer = finishingAgent({ name: "writer", capabilities: ["writing"] }, async ({ folder, task, document }) => {
  if (task.role !== "writer") return;
  for (const [path, text] of Object.entries(written.get(document.id)!)) await writeFile(join(folder, path), text);
});
const app = await createTestApp({ engine: { agents: [builtInAgent, writer], retryDelayMs: () => 0 } });

const documentOf = (id: string) => `spec_version: "1.0.0"
id: ${id}
name: Notes
description: Keeps notes.
outcome_type: library
stack: {}
scripts: { build: "true", test: "true", deploy: "true" }
acceptance: {}
requirements: { agents: { writer: { capabilities: [writing] } } }
tasks:
  - { id: write, title: Write, role: writer, estimated_hours: 1 }
  - { id: build, title: Build, depends_on: [write], estimated_hours: 1 }
  - { id: build-more, title: Build more, depends_on: [build], estimated_hours: 1 }
`;

async function run(id: string, files: Readonly<Record<string, string>>) {
  written.set(id, files);
  // Ids sort by time, and the newest run counts.
  app.clock.advance(1_000);
  const project = await submit(app, documentOf(id));
  const { status, error } = await untilEnded(app, project);
  return { project, status, error, files: await getSource(app, project, { itself: true }) };
}

describe("a file of another agent of the run", () => {
  test("that a person changed is theirs in every further run, and others are as the run made them", async () => {
    const first = await run("kept", { "a.md": "made\n", "b.md": "made\n" });
    await putSource(app, first.project, { ...first.files, "a.md": "mine\n" });
    for (const more of ["once more\n", "and once more\n"]) {
      const next = await run("kept", { "a.md": "made\n", "b.md": more });
      expect(next).toMatchObject({ status: "deployed", error: null, files: { "a.md": "mine\n", "b.md": more } });
    }
  });

  test("that both have changed is refused by its name", async () => {
    const first = await run("both", { "a.md": "made\n" });
    await putSource(app, first.project, { ...first.files, "a.md": "mine\n" });
    const next = await run("both", { "a.md": "made anew\n" });
    expect(next.error).toMatchObject({ message: expect.stringContaining("'a.md' is not the same file") });
  });
});
