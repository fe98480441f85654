// @module-tag long
import { appendFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { builtInAgent } from "../../../src/app/built-in-agent.ts";
import { finishingAgent } from "../../support/engine/finishing-agent.ts";
import { submit, untilEnded } from "../../support/engine/follow.ts";
import { getSource, putSource } from "../../support/source-calls.ts";
import { createTestApp } from "../../support/test-app.ts";
import { doWork, type Work } from "../../support/workspaces/test-workspaces.ts";

/** What another agent writes, by the document's id, before the builder has its turn. */
const written = new Map<string, Work>();
const writes = async (folder: string, id: string) => doWork(folder, written.get(id)!);
const writer = finishingAgent({ name: "writer", capabilities: ["writing"] }, ({ folder, document }) =>
  writes(folder, document.id),
);
const finisher = finishingAgent(
  { name: "finisher", capabilities: ["finishing", "finisher"] },
  async ({ folder, task, document }) => {
    if (task.id === "write") await writes(folder, document.id);
    else await appendFile(join(folder, "finished.md"), "finished\n");
  },
);
const app = await createTestApp({ engine: { agents: [builtInAgent, writer, finisher], retryDelayMs: () => 0 } });

const documentOf = (id: string, role: string) => `spec_version: "1.0.0"
id: ${id}
name: Notes
description: Keeps notes.
outcome_type: library
stack: {}
scripts: { build: "true", test: "true", deploy: "true" }
acceptance: {}
requirements: { agents: { ${role}: { capabilities: [${role === "writer" ? "writing" : "finishing"}] } } }
tasks:
  - { id: write, title: Write, role: ${role}, estimated_hours: 1 }
  - { id: build, title: Build, depends_on: [write], estimated_hours: 1 }
  - { id: build-more, title: Build more, depends_on: [build], estimated_hours: 1 }
`;

async function run(id: string, work: Work, role = "writer") {
  written.set(id, work);
  // Ids sort by time, and the newest run counts.
  app.clock.advance(1_000);
  const project = await submit(app, documentOf(id, role));
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

describe("what a person has changed is not lost", () => {
  const mine = "export const mine = 1;\n";
  const change = async (id: string, { project, files }: Awaited<ReturnType<typeof run>>) => {
    expect(files).toHaveProperty(["src/index.js"]);
    const answer = await putSource(app, project, { ...files, "src/index.js": mine, "mine.md": "mine\n" });
    expect(answer.statusCode, id).toBe(200);
  };

  test("where an agent that works before the builder has git ignore it", async () => {
    await change("ignored", await run("ignored", { "a.md": "made\n" }));
    const next = await run("ignored", { "src/.gitignore": "index.js\n" });
    expect(next).toMatchObject({ status: "deployed", files: { "src/index.js": mine, "mine.md": "mine\n" } });
  });

  test("where such an agent makes a link of its folder", async () => {
    await change("linked", await run("linked", { "a.md": "made\n" }));
    const next = await run("linked", async (folder) => {
      await doWork(folder, { "other/a": "a" });
      await symlink("other", join(folder, "src"));
    });
    expect(next).toMatchObject({
      status: "failed",
      error: { code: "unacceptable_file", message: expect.stringContaining("'src/index.js' has no place") },
    });
  });

  test("where git ignores it since an agent had it do so: a source comes back as somebody got it", async () => {
    const first = await run("returned", { "a.md": "made\n" });
    await putSource(app, first.project, { ...first.files, "mine/a.md": "mine\n" });
    const second = await run("returned", { "src/.gitignore": "*\n", "mine/.gitignore": "*\n!.gitignore\n" });
    await putSource(app, second.project, second.files);
    expect(await getSource(app, second.project)).toEqual(second.files);
    expect(second.files).toMatchObject({ "mine/a.md": "mine\n" });
  });

  test("where the finisher works before the builder", async () => {
    await change("finished", await run("finished", { "a.md": "made\n" }, "finisher"));
    const next = await run("finished", { "a.md": "made\n", "src/index.js": "export const theirs = 1;\n" }, "finisher");
    expect(next).toMatchObject({ status: "deployed", files: { "src/index.js": mine, "mine.md": "mine\n" } });
  });
});
