import { rm } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { collectBlobs } from "../../../src/features/artifacts/retention/collect-blobs.ts";
import { FolderBlobStore } from "../../../src/platform/blobs/folder-blob-store.ts";
import { eventsOf, submit, untilEnded } from "../../support/engine/follow.ts";
import { applicationOf, getSource, putSource } from "../../support/source-calls.ts";
import { createTestApp } from "../../support/test-app.ts";
import { until } from "../../support/until.ts";

const app = await createTestApp({ engine: {} });
const { call } = app;

interface Wanted {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  readonly more?: string;
}

/** A library: nothing of it stays running, and its scripts cost nothing. */
const documentOf = ({ id, name = "Notes", description = "Keeps notes.", more = "" }: Wanted) => `
spec_version: "1.0.0"
id: ${id}
name: ${name}
description: ${description}
outcome_type: library
stack: {}
scripts: { build: "true", test: "true", deploy: "true" }
acceptance: {}
${more}`;

// Ids sort by time, and the newest run counts.
beforeEach(() => app.clock.advance(1_000));

async function run(wanted: Wanted): Promise<string> {
  app.clock.advance(1_000);
  const id = await submit(app, documentOf(wanted));
  expect(await untilEnded(app, id)).toMatchObject({ status: "deployed", error: null });
  return id;
}

async function runFailing(wanted: Wanted) {
  app.clock.advance(1_000);
  const id = await submit(app, documentOf(wanted));
  const { status, error } = await untilEnded(app, id);
  expect(status).toBe("failed");
  return { id, error: error! };
}

async function reportOf(id: string) {
  const { payload } = await call({ url: `/api/v1/projects/${id}/artifacts` });
  expect(payload).toContain('"merge_report"');
  const rows = await app.db.selectFrom("generations").select("report").where("project_id", "=", id).execute();
  return rows[0]!.report as { conflicts: { path: string; kind: string; lines: unknown[] }[]; kept: string[] };
}

const put = async (id: string, files: Record<string, string>) => {
  const answer = await putSource(app, id, files);
  expect(answer.statusCode, answer.payload).toBe(200);
};

test("the same document again, with changes of a person's, has no conflicts and loses none of them", {
  tags: "long",
}, async () => {
  const wanted = { id: "again" };
  const first = await run(wanted);
  const files = await getSource(app, first);
  await put(first, {
    ...files,
    "README.md": files["README.md"]!.replace("Keeps notes.", "Keeps my notes.\n\nIn my own words."),
    "src/index.js": `${files["src/index.js"]}export const mine = 1;\n`,
    "src/mine.js": "export const more = 2;\n",
  });
  const second = await run(wanted);
  expect(await reportOf(second)).toMatchObject({ conflicts: [], kept: [] });
  const after = await getSource(app, second);
  expect(after["README.md"]).toContain("Keeps my notes.\n\nIn my own words.");
  expect(after["src/index.js"]).toContain("export const mine = 1;");
  expect(after["src/mine.js"]).toBe("export const more = 2;\n");
  const third = await run(wanted);
  expect(await reportOf(third)).toMatchObject({ conflicts: [] });
  const { ".slipway/source.json": _, ...unchanged } = after;
  expect(await getSource(app, third), "also what was only deployed, and not put again").toMatchObject(unchanged);
});

test("a changed document and a person's change elsewhere in the same file are both there", {
  tags: "long",
}, async () => {
  const first = await run({ id: "both" });
  const files = await getSource(app, first);
  const licence = "MIT, see [LICENSE](LICENSE).";
  await put(first, { ...files, "README.md": files["README.md"]!.replace(licence, `${licence} Ask me.`) });
  // As on a node that has none of the repositories.
  await rm(join(app.dataFolder, "workspaces"), { recursive: true });
  const second = await run({ id: "both", name: "Better notes" });
  const readme = (await getSource(app, second))["README.md"];
  expect(readme).toMatch(/^# Better notes\n/);
  expect(readme).toContain("Ask me.");
});

test("a change at the same place is a conflict: marked, reported, and nothing goes live until it is resolved", async () => {
  const first = await run({ id: "conflict" });
  const files = await getSource(app, first);
  await put(first, { ...files, "README.md": files["README.md"]!.replace("# Notes", "# My notes") });
  const { id, error } = await runFailing({ id: "conflict", name: "Better notes" });
  expect(error).toMatchObject({ code: "regeneration_conflict", phase: "validation" });
  expect(error.message).toContain("README.md");
  expect(error.message).toContain(`slipway source put ${id} DIR`);
  expect((await eventsOf(app, id)).some(({ event }) => event === "project.deployed")).toBe(false);

  const marked = await getSource(app, id, { itself: true });
  expect(marked["README.md"]).toContain("<<<<<<< yours\n# My notes\n=======\n# Better notes\n>>>>>>> regenerated\n");
  expect(await reportOf(id)).toMatchObject({
    conflicts: [{ path: "README.md", kind: "changed", lines: [{ from: 1, to: 5 }] }],
  });
  const { artifacts } = (await call({ url: `/api/v1/projects/${id}/artifacts` })).json<{ artifacts: object[] }>();
  expect(artifacts).toContainEqual(expect.objectContaining({ type: "merge_report", path: "merge-report.json" }));
  const logged = async () => (await call({ url: `/api/v1/projects/${id}/logs?service=merge` })).payload;
  expect(await until(async () => /conflict in .*?:/.exec(await logged())?.[0])).toBe(
    "conflict in README.md, lines 1-5:",
  );

  const again = await runFailing({ id: "conflict", name: "Better notes" });
  expect(again.error.code, "nothing was resolved").toBe("regeneration_conflict");
  const refused = await putSource(app, id, marked);
  expect(refused.json()).toMatchObject({ code: "invalid_body", detail: expect.stringContaining("README.md") });

  await put(id, { ...marked, "README.md": marked["README.md"]!.replace(/<{7}[\s\S]*>{7} \w+/, "# My better notes") });
  expect((await call({ method: "DELETE", url: `/api/v1/projects/${id}` })).statusCode).toBe(204);
  const gone = await call({ url: `/api/v1/applications/${await applicationOf(app, first)}/source?project_id=${id}` });
  expect(gone.statusCode, "a deleted project's files are gone, but not what was put").toBe(404);
  const resolved = await run({ id: "conflict", name: "Better notes" });
  expect(await reportOf(resolved)).toMatchObject({ conflicts: [] });
  expect((await getSource(app, resolved))["README.md"]).toMatch(/^# My better notes\n/);
});

const twoTasks = `
performance: { parallel_tasks: 2 }
tasks:
  - { id: one, title: One, estimated_hours: 1 }
  - { id: two, title: Two, estimated_hours: 1 }
`;

test("what a person deleted stays deleted, and what is generated no more goes, unless it was changed", {
  tags: "long",
}, async () => {
  const first = await run({ id: "gone", more: twoTasks });
  const { "tools/check.js": check, ...files } = await getSource(app, first);
  expect(check).toBeDefined();
  expect(Object.keys(files)).toEqual(expect.arrayContaining(["docs/tasks/one.md", "docs/tasks/two.md"]));
  await put(first, { ...files, "docs/tasks/two.md": "I did this one.\n" });
  const second = await run({ id: "gone" });
  const after = await getSource(app, second);
  expect(after).not.toHaveProperty(["tools/check.js"]);
  expect(after).not.toHaveProperty(["docs/tasks/one.md"]);
  expect(after["docs/tasks/two.md"]).toBe("I did this one.\n");
  expect(await reportOf(second)).toMatchObject({ conflicts: [], kept: ["docs/tasks/two.md"] });
});

test("tasks that run side by side make the same of a person's changes", { tags: "long" }, async () => {
  const first = await run({ id: "many", more: twoTasks });
  const files = await getSource(app, first);
  await put(first, { ...files, "README.md": `${files["README.md"]}\nMine.\n`, "mine.txt": "mine\n" });
  const second = await run({ id: "many", name: "Better notes", more: twoTasks });
  const after = await getSource(app, second);
  expect(after["README.md"]).toMatch(/^# Better notes\n[\s\S]*\nMine\.\n$/);
  expect(after["mine.txt"]).toBe("mine\n");
});

test("what a person deleted and the document changed is a conflict", { tags: "long" }, async () => {
  const first = await run({ id: "deleted" });
  const { "README.md": _, ...files } = await getSource(app, first);
  await put(first, files);
  const { id, error } = await runFailing({ id: "deleted", name: "Better notes" });
  expect(error.code).toBe("regeneration_conflict");
  expect(await reportOf(id)).toMatchObject({ conflicts: [{ path: "README.md", kind: "deleted" }] });
  const { "README.md": __, ...still } = await getSource(app, id, { itself: true });
  await put(id, still);
  const resolved = await run({ id: "deleted", name: "Better notes" });
  expect(await getSource(app, resolved)).not.toHaveProperty(["README.md"]);
});

test("a dry run says what it would be merged with", { tags: "long" }, async () => {
  const dryRun = async () =>
    (
      await call({
        method: "POST",
        url: "/api/v1/projects?dry_run=true",
        headers: { "content-type": "application/yaml" },
        payload: documentOf({ id: "dry" }),
      })
    ).json<object>();
  expect(await dryRun()).toMatchObject({ application_id: null, regenerates: null });
  const first = await run({ id: "dry" });
  const application_id = await applicationOf(app, first);
  expect(await dryRun()).toMatchObject({ application_id, regenerates: { project_id: first, put_at: null } });
  await put(first, await getSource(app, first));
  expect(await dryRun()).toMatchObject({ regenerates: { project_id: first, put_at: expect.any(String) } });
});

test("two owners with the same id have nothing of each other", { tags: "long" }, async () => {
  const mine = await run({ id: "shared" });
  await put(mine, { ...(await getSource(app, mine)), "secret.txt": "mine alone\n" });
  const { token } = await app.userToken("svc:user");
  const theirs = await submit(app, documentOf({ id: "shared" }), "", token);
  expect(await untilEnded(app, theirs)).toMatchObject({ status: "deployed" });
  expect(await getSource(app, theirs)).not.toHaveProperty(["secret.txt"]);
  const url = `/api/v1/applications/${await applicationOf(app, mine)}/source`;
  expect((await call({ url, token })).statusCode).toBe(404);
  expect((await call({ method: "PUT", url, token, payload: "x" })).statusCode).toBe(404);
  const other = `${url.replace(/app_\w+/, await applicationOf(app, theirs))}?project_id=${mine}`;
  expect((await call({ url: other, token })).statusCode, "not by way of one's own").toBe(404);
});

test("what a person put, and what was generated, outlives the collection of what nobody needs", {
  tags: "long",
}, async () => {
  const id = await run({ id: "kept-source" });
  await put(id, { ...(await getSource(app, id)), "mine.txt": "mine\n" });
  const place = await FolderBlobStore.open(join(app.dataFolder, "artifacts"));
  await collectBlobs({ db: app.db, backend: place }, { grace: 0 });
  // Another node has nothing but the blobs.
  await rm(join(app.dataFolder, "workspaces"), { recursive: true, force: true });
  expect(await getSource(app, id)).toMatchObject({ "mine.txt": "mine\n" });
  const next = await run({ id: "kept-source", name: "Kept" });
  expect(await getSource(app, next, { itself: true })).toMatchObject({ "mine.txt": "mine\n" });
});
