import { expect, test } from "vitest";
import { checkpointsOf, command, submit, untilEnded } from "../../support/engine/follow.ts";
import { getSource, putSource } from "../../support/source-calls.ts";
import { createTestApp } from "../../support/test-app.ts";

const app = await createTestApp({ engine: {} });

const documentOf = (id: string, name = "Notes") => `spec_version: "1.0.0"
id: ${id}
name: ${name}
description: Keeps notes.
outcome_type: library
stack: {}
scripts: { build: "true", test: "true", deploy: "true" }
acceptance: {}
phases:
  one: {}
  two: { depends_on: [one] }
tasks:
  - { id: build, title: Build, phase: one, estimated_hours: 1 }
  - { id: build-more, title: Build more, phase: two, depends_on: [build], estimated_hours: 1 }
`;

async function run(document: string) {
  // Ids sort by time, and the newest run counts.
  app.clock.advance(1_000);
  return ended(await submit(app, document));
}

async function ended(project: string) {
  const { status, error } = await untilEnded(app, project);
  return { project, status, error, files: await getSource(app, project, { itself: true }) };
}

async function rollBack(project: string, phase: string) {
  const { checkpoint_id: checkpoint } = (await checkpointsOf(app, project)).find((one) => one.phase === phase)!;
  expect((await command(app, project, "rollback", { checkpoint })).statusCode).toBe(200);
  return ended(project);
}

test("a conflict stays one when the run goes back to the end of its work", { tags: "long" }, async () => {
  const first = await run(documentOf("conflict"));
  const mine = first.files["README.md"]!.replace("# Notes", "# My notes");
  await putSource(app, first.project, { ...first.files, "README.md": mine });
  const { project, error } = await run(documentOf("conflict", "Better notes"));
  expect(error).toMatchObject({ code: "regeneration_conflict" });
  for (const phase of ["two", "one"])
    expect(await rollBack(project, phase), phase).toMatchObject({
      status: "failed",
      error: { code: "regeneration_conflict" },
    });
});

test("a source that only later plans had waits for the next run", { tags: "long" }, async () => {
  const first = await run(documentOf("later"));
  const put = (text: string) => putSource(app, first.project, { ...first.files, "mine.md": text });
  await put("mine\n");
  const { project } = await run(documentOf("later"));
  const [built] = (await checkpointsOf(app, project)).filter(({ phase }) => phase === "two");
  await put("mine anew\n");
  expect(await rollBack(project, "planning")).toMatchObject({ files: { "mine.md": "mine anew\n" } });
  await command(app, project, "rollback", { checkpoint: built!.checkpoint_id });
  expect(await ended(project)).toMatchObject({ status: "deployed", files: { "mine.md": "mine\n" } });
  expect(await getSource(app, project)).toMatchObject({ "mine.md": "mine anew\n" });
});

test("a source that is put before a run goes back is what the next run begins from", { tags: "long" }, async () => {
  const first = await run(documentOf("between"));
  const put = (text: string) =>
    putSource(app, first.project, { ...first.files, "docs/tasks/build.md": text, "mine.md": text });
  await put("mine\n");
  const { project } = await run(documentOf("between"));
  await put("mine anew\n");
  expect(await rollBack(project, "one")).toMatchObject({
    status: "deployed",
    files: { "docs/tasks/build.md": "mine\n", "mine.md": "mine\n" },
  });
  expect(await run(documentOf("between"))).toMatchObject({
    status: "deployed",
    files: { "docs/tasks/build.md": "mine anew\n", "mine.md": "mine anew\n" },
  });
});
